# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs CTest and counts what it did, from its JUnit file.

# run_ctest PRESET BUILD_FOLDER [CTEST_ARGUMENT...]: a failing test does not stop the script here.
run_ctest() {
  local preset=$1 folder=$2
  shift 2
  # The reasons of skips stand in the output of tests that pass, whose tail CTest drops at 1 KiB.
  local command=(ctest --preset "$preset" --parallel "$(nproc)" --output-junit test-results.xml
                 --test-output-size-passed 65536 "$@")
  say "test: ${command[*]}"
  rm -f "$folder/test-results.xml"
  "${command[@]}" </dev/null || true
  [ -s "$folder/test-results.xml" ] || die "ctest left no $folder/test-results.xml: no tests ran"
}

# junit_cases FILE: "STATUS NAME" a line, STATUS being passed, failed or skipped.
junit_cases() {
  awk '
    /<testcase / {
      match($0, / name="[^"]*"/); name = substr($0, RSTART + 7, RLENGTH - 8)
      match($0, / status="[^"]*"/); status = substr($0, RSTART + 9, RLENGTH - 10)
      known = "failed"
      if (status == "run") known = "passed"
    }
    /<skipped / { known = ($0 ~ /SKIP|Skip|Disabled/) ? "skipped" : "failed" }
    /<\/testcase>/ { print known, name }
  ' "$1"
}

# skip_reasons FILE: a line for each skipped GoogleTest case, with the text that it gave. A test that runs many cases,
# as conformance:tiny does, passes without those that it skipped: "skipped within", and not in the count.
skip_reasons() {
  awk '
    /<testcase / {
      match($0, / name="[^"]*"/); name = substr($0, RSTART + 7, RLENGTH - 8); wanted = 0
      label = / status="run"/ ? "skipped within " : "skipped: "
    }
    wanted && NF { print label name ": " $0; wanted = 0 }
    /: Skipped$/ { wanted = 1 }
  ' "$1"
}

# cuda_cases BUILD_FOLDER: how many conformance cases of the target cuda were built.
cuda_cases() {
  local program=$1/bin/kohort_conformance
  [ -x "$program" ] || { echo 0; return; }
  { "$program" --gtest_list_tests --gtest_filter='*Cuda*' || true; } | grep -c '^  ' || true
}

# report_results BUILD_FOLDER: skip reasons, then the counting line. Fails if a test failed or none passed.
report_results() {
  local file=$1/test-results.xml cases passed failed skipped unlaunched=0
  cases=$(junit_cases "$file")
  passed=$(grep -c '^passed ' <<<"$cases" || true)
  failed=$(grep -c '^failed ' <<<"$cases" || true)
  skipped=$(grep -c '^skipped ' <<<"$cases" || true)
  printf '\n'
  sed -n 's/^failed /failed: /p' <<<"$cases"
  skip_reasons "$file"
  if ! grep -q '^KOHORT_TEST_CUDA_DEVICE:[A-Z]*=ON' "$1/CMakeCache.txt" && ! has_cuda_device; then
    unlaunched=$(cuda_cases "$1")
    if [ "$unlaunched" -gt 0 ]; then
      echo "skipped: $unlaunched conformance cases of the target cuda: built, but this machine has no CUDA device (./gpu runs them)"
    elif grep -q '^KOHORT_ENABLE_CUDA:[A-Z]*=OFF' "$1/CMakeCache.txt"; then
      echo "not built: the target cuda, because KOHORT_ENABLE_CUDA is OFF"
    elif grep -q '^CMAKE_CUDA_COMPILER:[A-Z]*=.*NOTFOUND' "$1/CMakeCache.txt"; then
      echo "not built: the target cuda, because no nvcc was found"
    fi
  fi
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$((skipped + unlaunched))"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
