# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DPROGRAM=… -DEXPECTED=… -P compare_output.cmake: runs the program, compares what it prints.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed ERROR_VARIABLE errors RESULT_VARIABLE status)
file(READ "${EXPECTED}" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "The printed output differs from ${EXPECTED}.\n--- expected\n${expected}\n--- printed\n"
                      "${printed}\n--- standard error (exit status ${status})\n${errors}")
endif()
