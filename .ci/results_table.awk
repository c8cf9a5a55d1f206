# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# awk -f results_table.awk FILE.json...: Google Benchmark's JSON as a Markdown table, its counters in the last
# column. Reads one key a line, as that library and nlohmann-json with an indent write it.
function value_of(line) {
  sub(/^[^:]*: */, "", line)
  sub(/,[ \t\r]*$/, "", line)
  gsub(/^"|"$/, "", line)
  return line
}
function print_row() {
  if (name != "") printf "| %s | %s | %s | %s |\n", name, time, unit, counters
  name = time = unit = counters = ""
}
BEGIN {
  known = " family_index per_family_instance_index run_name run_type repetitions repetition_index threads iterations cpu_time aggregate_name aggregate_unit label error_occurred error_message "
  print "| benchmark | time | unit | counters |"
  print "|---|---|---|---|"
}
FNR == 1 { inside = 0 }
/"benchmarks": *\[/ { inside = 1; next }
!inside { next }
/^[ \t]*\{/ { print_row(); next }
/^[ \t]*"[^"]*": */ {
  key = $0
  sub(/^[ \t]*"/, "", key)
  sub(/".*/, "", key)
  if (key == "name") name = value_of($0)
  else if (key == "real_time") time = sprintf("%.4g", value_of($0))
  else if (key == "time_unit") unit = value_of($0)
  else if (index(known, " " key " ") == 0) counters = counters (counters == "" ? "" : ", ") key " " value_of($0)
}
/^[ \t]*\][ \t,]*$/ { print_row(); inside = 0 }
END { print_row() }
