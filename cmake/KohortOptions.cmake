# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every option of the build, and the defaults that follow from being the top project.
include(GNUInstallDirs)

option(KOHORT_ENABLE_SIMULATOR "Build the CPU simulator (oneTBB, Boost.Context, fmt, toml++, libdw)"
       ON)
set(KOHORT_ENABLE_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO (where nvcc is), ON or OFF")
set_property(CACHE KOHORT_ENABLE_CUDA PROPERTY STRINGS AUTO ON OFF)
option(KOHORT_ENABLE_HIP "Build the HIP backend (clang with ROCm's device libraries)" OFF)
option(KOHORT_ENABLE_KOKKOS "Build the Kokkos plugin on the Kokkos that is found" OFF)
option(KOHORT_ENABLE_PROGRAM "Build the kernels and the `kohort` program" ${PROJECT_IS_TOP_LEVEL})
option(KOHORT_ENABLE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(KOHORT_ENABLE_BENCHMARKS "Build the benchmarks" OFF)
option(KOHORT_ENABLE_DOCS "Build the tutorial's programs and compare what they print"
       ${PROJECT_IS_TOP_LEVEL})
option(KOHORT_ENABLE_INSTALL "Add the install rules and the CMake package" ${PROJECT_IS_TOP_LEVEL})
option(KOHORT_WARNINGS_AS_ERRORS "Fail on a warning in Kohort's own sources" OFF)
option(KOHORT_STATIC_PROGRAMS
       "Link programs so that a machine with only a CUDA driver runs them (no libstdc++, no libfmt)"
       OFF)
set(KOHORT_CUDA_ARCHITECTURES "90a;100a" CACHE STRING "Compute capabilities that kernels are built for")
list(GET KOHORT_CUDA_ARCHITECTURES 0 first_architecture)
set(KOHORT_CUDA_CONFORMANCE_ARCHITECTURES "${first_architecture}"
    CACHE STRING "Compute capabilities that the conformance ladder is built for")
option(KOHORT_CUDA_PTXAS_VERBOSE "Print registers and shared memory of each kernel (-Xptxas=-v)"
       OFF)
set(KOHORT_HIP_ARCHITECTURES "gfx942;gfx950" CACHE STRING "AMD architectures that kernels are built for")
set(KOHORT_HIP_CPU_SOURCE "" CACHE PATH
    "A folder with HIP-CPU's sources, for the simulator's benchmark that compares with it")

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    # Reports name source lines, so debug information stays on.
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(KOHORT_CCACHE ccache)
  if(KOHORT_CCACHE)
    foreach(language IN ITEMS CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER "${KOHORT_CCACHE}")
      endif()
    endforeach()
  endif()
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
