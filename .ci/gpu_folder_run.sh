#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run [--results FOLDER] [--only conformance|kernels|benchmarks] [--sanitizers]
# Runs what is in this folder on a machine with a CUDA driver, and leaves JSON in FOLDER (default: results
# beside this script). --sanitizers adds compute-sanitizer's memcheck, racecheck and synccheck.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$here/results
only=""
sanitizers=no
failed=0

while [ $# -gt 0 ]; do
  case $1 in
    --results) results=${2:?--results needs a folder}; shift 2 ;;
    --only) only=${2:?--only needs conformance, kernels or benchmarks}; shift 2 ;;
    --sanitizers) sanitizers=yes; shift ;;
    --help | -h) sed -n '3,5s/^# //p' "$0"; exit 0 ;;
    *) echo "run: \"$1\" is none of --results, --only, --sanitizers" >&2; exit 2 ;;
  esac
done
case $only in
  "" | conformance | kernels | benchmarks) ;;
  *) echo "run: --only takes conformance, kernels or benchmarks, not \"$only\"" >&2; exit 2 ;;
esac
mkdir -p "$results"
results=$(cd "$results" && pwd)

say() { printf '\n== %s\n' "$*"; }

# step NAME COMMAND...: runs it, says what came of it, goes on.
step() {
  local name=$1
  shift
  say "$name: $*"
  if "$@"; then
    echo "$name: passed"
  else
    echo "$name: FAILED (exit status $?)"
    failed=$((failed + 1))
  fi
}

# json_of FILE COMMAND...: the command's standard output is the file.
json_of() {
  local file=$1
  shift
  "$@" >"$file"
}

# ---------------------------------------------------------------- the kernels' runs
kernel_runs() {
  local kernel
  step info json_of "$results/info_cuda.json" "$here/bin/kohort" info --target cuda --json
  for kernel in reduce halo histogram; do
    step "run $kernel" json_of "$results/run_$kernel.json" \
      "$here/bin/kohort" run "$kernel" --target cuda --json
  done
}
# ---------------------------------------------------------------- end of the kernels' runs

conformance() {
  # GoogleTest calls a run of no test a success.
  step "conformance cases" sh -c "'$here/bin/kohort_conformance' --gtest_list_tests --gtest_filter='*Cuda*' | grep -c '^  '"
  step conformance "$here/bin/kohort_conformance" --gtest_filter='*Cuda*' --gtest_brief=1 \
    "--gtest_output=json:$results/conformance_cuda.json"
}

sanitized() {
  local tool filter kernel
  if ! command -v compute-sanitizer >/dev/null; then
    say "compute-sanitizer: not run, because it is not in PATH"
    return
  fi
  for tool in memcheck racecheck synccheck; do
    filter='*Cuda*'
    if [ "$tool" = racecheck ]; then
      # It follows barriers alone: a message that a flag, a fence or a lock orders is a race to it.
      filter+='-*08_memory_orders*'
      say "racecheck: without 08_memory_orders, because it does not follow fences, releases and acquires"
    fi
    step "$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 \
      "$here/bin/kohort_conformance" --gtest_filter="$filter" --gtest_brief=1
    for kernel in reduce halo histogram; do
      step "$tool $kernel" compute-sanitizer --tool "$tool" --error-exitcode 1 \
        "$here/bin/kohort" run "$kernel" --target cuda --n 65536
    done
  done
}

benchmarks() {
  local program name commit
  commit=$(sed -n 's/^commit //p' "$here/versions.txt")
  for program in "$here"/bin/kohort_bench_*; do
    [ -x "$program" ] || continue
    name=${program##*/kohort_bench_}
    step "bench $name" "$program" "--benchmark_out=$results/bench_$name.json" --benchmark_out_format=json \
      --commit "$commit"
  done
  if ls "$results"/bench_*.json >/dev/null 2>&1; then
    say "table"
    awk -f "$here/results_table.awk" "$results"/bench_*.json
  fi
}

say "machine"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv,noheader || true
cat "$here/versions.txt"
cp "$here/versions.txt" "$results/versions.txt"
[ -n "$only" ] && [ "$only" != conformance ] || conformance
[ -n "$only" ] && [ "$only" != kernels ] || kernel_runs
[ -n "$only" ] && [ "$only" != benchmarks ] || benchmarks
[ "$sanitizers" = no ] || sanitized
say "results are in $results; $failed steps failed"
[ "$failed" -eq 0 ]
