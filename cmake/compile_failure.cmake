# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DCOMPILER=… -DFILE=… -DINCLUDE_DIRS=… [-DFLAGS=…] -P compile_failure.cmake
# Passes if FILE compiles with KOHORT_CONTROL, and without it fails with the text of its `// expect:` line.
file(READ "${FILE}" source)
if(NOT source MATCHES "// expect: ([^\n]+)")
  message(FATAL_ERROR "${FILE} has no line `// expect: <text of the error>`")
endif()
set(expected "${CMAKE_MATCH_1}")
if(NOT source MATCHES "KOHORT_CONTROL")
  message(FATAL_ERROR "${FILE} does not mention KOHORT_CONTROL: without a form that compiles, any mistake passes")
endif()
list(TRANSFORM INCLUDE_DIRS PREPEND "-I")
set(command "${COMPILER}" -std=c++20 -fsyntax-only -Werror=unused-result -DKOHORT_UNIT_TARGET=Simulator
            ${FLAGS} ${INCLUDE_DIRS})

execute_process(COMMAND ${command} -DKOHORT_CONTROL "${FILE}" RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The control, ${FILE} with KOHORT_CONTROL, must compile and does not:\n${errors}")
endif()
execute_process(COMMAND ${command} "${FILE}" RESULT_VARIABLE status ERROR_VARIABLE errors)
if(status EQUAL 0)
  message(FATAL_ERROR "${FILE} compiles; it must fail with: ${expected}")
endif()
string(FIND "${errors}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${FILE} fails for another reason. Expected: ${expected}\nThe compiler said:\n${errors}")
endif()
