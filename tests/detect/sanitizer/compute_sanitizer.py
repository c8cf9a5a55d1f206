#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs NVIDIA's compute-sanitizer on every fault of the corpus, on a GPU.

usage: compute_sanitizer.py PROGRAM RESULT.json [PROCESSES] [EARLIER.json]

PROGRAM is kohort_fault_corpus (CMake target of that name, preset cuda). For each case and tool the
result is "found", "nothing", "hangs" (20 s) or "failed" (the program ended by itself with an error,
such as a launch failure, and the tool named no fault). With EARLIER.json only what hung there, or is
missing there, is run: many processes on one GPU may have been slow, and not hung.
"""
import concurrent.futures
import json
import re
import subprocess
import sys

TOOLS = ["racecheck", "memcheck", "synccheck", "initcheck"]
SECONDS = 20


def run(program, case, tool):
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", program, case]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs"
    summary = re.search(r"SUMMARY: (\d+) (?:error|hazard)", done.stdout)
    count = int(summary.group(1)) if summary else 0
    # Errors of the API alone, such as a launch failure reported by a copy, name no fault.
    named = re.search(r"hazard|Invalid|Uninitialized|Barrier error|out of bounds|misaligned|divergent", done.stdout)
    if count > 0 and named:
        return "found"
    return "failed" if done.returncode != 0 else "nothing"


def main():
    program, result = sys.argv[1], sys.argv[2]
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    cases = [line.split("\t") for line in listed.splitlines()]
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout
    rows = {name: {"case": name, "kind": kind, "expected": expected} for name, kind, expected in cases}
    if len(sys.argv) > 4:
        with open(sys.argv[4]) as file:
            for row in json.load(file)["cases"]:
                if row["case"] in rows:
                    rows[row["case"]].update({tool: row[tool] for tool in TOOLS if tool in row})
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        jobs = {}
        for name, _, _ in cases:
            for tool in TOOLS:
                if rows[name].get(tool, "hangs") != "hangs":
                    continue
                jobs[pool.submit(run, program, name, tool)] = (name, tool)
        for job in concurrent.futures.as_completed(jobs):
            name, tool = jobs[job]
            rows[name][tool] = job.result()
    with open(result, "w") as file:
        json.dump({"compute-sanitizer": version.strip().splitlines()[-1] if version else "", "cases": list(rows.values())},
                  file, indent=1)


main()
