# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DWAY=package|subdirectory|kokkos … -P run.cmake: installs Kohort or not, builds the outside project, runs it.
set(work "${KOHORT_BUILD}/install_test/${WAY}")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

function(run_step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  list(JOIN ARGV " " command)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
  message("${command}\n${output}")
endfunction()

set(configure_options -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
                      "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
if(WAY STREQUAL "package")
  run_step("${CMAKE_COMMAND}" --install "${KOHORT_BUILD}" --prefix "${work}/prefix")
  list(APPEND configure_options "-DCMAKE_PREFIX_PATH=${work}/prefix")
  if(EXISTS "${work}/prefix/bin/kohort")
    run_step("${work}/prefix/bin/kohort" info --profile tiny)
  endif()
elseif(WAY STREQUAL "subdirectory")
  list(APPEND configure_options "-DKOHORT_SUBDIRECTORY=${KOHORT_SOURCE}")
endif()
if(WAY STREQUAL "kokkos")
  run_step("${CMAKE_COMMAND}" --install "${KOHORT_BUILD}" --prefix "${work}/prefix")
  file(COPY "${KOHORT_SOURCE}/tests/install/kokkos/" "${KOHORT_SOURCE}/docs/guide/kokkos/" DESTINATION "${work}/project")
  run_step("${CMAKE_COMMAND}" -S "${work}/project" -B "${work}/build" ${configure_options}
           "-Dkohort_ROOT=${work}/prefix" "-DKokkos_ROOT=${KOKKOS_ROOT}")
  run_step("${CMAKE_COMMAND}" --build "${work}/build" --parallel 2)
  run_step("${CMAKE_COMMAND}" -E env KOHORT_SIM_MODE=check "${work}/build/rows")
  return()
endif()
# The project is copied out, so that nothing of Kohort's tree is found by a relative path.
file(COPY "${KOHORT_SOURCE}/tests/install/" DESTINATION "${work}/project")
run_step("${CMAKE_COMMAND}" -S "${work}/project" -B "${work}/build" ${configure_options})
run_step("${CMAKE_COMMAND}" --build "${work}/build" --parallel 2)
run_step("${work}/build/average")
if(WAY STREQUAL "package")
  # A package that was built with CUDA serves a machine without the toolkit.
  run_step("${CMAKE_COMMAND}" -S "${work}/project" -B "${work}/build_without_toolkit" ${configure_options}
           -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
endif()
