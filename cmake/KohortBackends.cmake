# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Decides which backends are on. For each one that is off, KOHORT_<NAME>_WHY says why; the summary
# prints it. KOHORT_HAS_SIMULATOR, KOHORT_HAS_CUDA and KOHORT_HAS_HIP are what the other files ask.
include(CheckLanguage)

set(KOHORT_HAS_SIMULATOR OFF)
set(KOHORT_SIMULATOR_WHY "KOHORT_ENABLE_SIMULATOR is OFF")
set(KOHORT_HAS_CUDA OFF)
set(KOHORT_CUDA_WHY "KOHORT_ENABLE_CUDA is OFF")
set(KOHORT_HAS_HIP OFF)
set(KOHORT_HIP_WHY "KOHORT_ENABLE_HIP is OFF")

# Finds what the simulator links; stops with the name of the Debian package that lacks.
macro(kohort_find_simulator_dependencies)
  set(missing "")
  find_package(Threads REQUIRED)
  find_package(TBB CONFIG QUIET)
  find_package(Boost QUIET COMPONENTS context)
  find_package(fmt CONFIG QUIET)
  find_package(tomlplusplus CONFIG QUIET)
  find_path(KOHORT_LIBDW_INCLUDE elfutils/libdwfl.h)
  find_library(KOHORT_LIBDW dw)
  if(NOT TARGET TBB::tbb)
    list(APPEND missing "oneTBB (libtbb-dev)")
  endif()
  if(NOT TARGET Boost::context)
    list(APPEND missing "Boost.Context (libboost-context-dev)")
  endif()
  if(NOT TARGET fmt::fmt)
    list(APPEND missing "fmt (libfmt-dev)")
  endif()
  if(NOT TARGET tomlplusplus::tomlplusplus)
    list(APPEND missing "toml++ (libtomlplusplus-dev)")
  endif()
  if(NOT KOHORT_LIBDW_INCLUDE OR NOT KOHORT_LIBDW)
    list(APPEND missing "libdw (libdw-dev)")
  endif()
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "The simulator needs ${missing}: install what is missing, or configure with "
                        "-DKOHORT_ENABLE_SIMULATOR=OFF for a build with the CUDA backend alone.")
  endif()
endmacro()

if(KOHORT_ENABLE_SIMULATOR)
  kohort_find_simulator_dependencies()
  set(KOHORT_HAS_SIMULATOR ON)
endif()

# A parent project that did not enable CUDA could not compile the units, so AUTO follows it.
if(KOHORT_ENABLE_CUDA STREQUAL "AUTO" AND NOT PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CUDA_COMPILER_LOADED)
  set(KOHORT_CUDA_WHY "the parent project does not enable the language CUDA")
elseif(KOHORT_ENABLE_CUDA)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # The units carry their own -gencode flags: CMake 3.25 does not know 100a.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    find_package(Threads REQUIRED)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
      set(KOHORT_CUDA_WHY "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is older than 13.0")
    else()
      set(KOHORT_HAS_CUDA ON)
    endif()
  else()
    set(KOHORT_CUDA_WHY "no nvcc was found (PATH, CUDACXX)")
  endif()
  if(NOT KOHORT_HAS_CUDA AND NOT KOHORT_ENABLE_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "KOHORT_ENABLE_CUDA=ON: ${KOHORT_CUDA_WHY}. Install the CUDA Toolkit 13, name its "
                        "nvcc with -DCMAKE_CUDA_COMPILER=…, or configure with -DKOHORT_ENABLE_CUDA=AUTO.")
  endif()
endif()

if(KOHORT_ENABLE_HIP)
  check_language(HIP)
  if(NOT CMAKE_HIP_COMPILER)
    message(FATAL_ERROR "KOHORT_ENABLE_HIP=ON: no HIP compiler was found. Install ROCm 6.4 or later, or Debian's hipcc and "
                        "libamdhip64-dev, or name a clang with -DCMAKE_HIP_COMPILER=….")
  endif()
  if(NOT DEFINED CMAKE_HIP_ARCHITECTURES) # else CMake asks for a device; units have their own
    set(CMAKE_HIP_ARCHITECTURES ${KOHORT_HIP_ARCHITECTURES})
  endif()
  enable_language(HIP)
  find_package(Threads REQUIRED)
  set(KOHORT_HAS_HIP ON)
endif()

if(NOT KOHORT_HAS_SIMULATOR AND NOT KOHORT_HAS_CUDA AND NOT KOHORT_HAS_HIP)
  message(FATAL_ERROR "No backend is on. Simulator: ${KOHORT_SIMULATOR_WHY}. CUDA: ${KOHORT_CUDA_WHY}. HIP: ${KOHORT_HIP_WHY}.")
endif()

# The umbrella header reads this one, so that no header of the API holds an `#if` a backend.
set(KOHORT_GENERATED_INCLUDE "${PROJECT_BINARY_DIR}/generated/include")
set(backend_includes "")
if(KOHORT_HAS_SIMULATOR)
  string(APPEND backend_includes "#include <kohort/backend/cpu/backend.hpp>\n")
endif()
if(KOHORT_HAS_CUDA)
  string(APPEND backend_includes "#include <kohort/backend/cuda/backend.hpp>\n")
endif()
if(KOHORT_HAS_HIP)
  string(APPEND backend_includes "#include <kohort/backend/hip/backend.hpp>\n")
endif()
file(
  CONFIGURE
  OUTPUT "${KOHORT_GENERATED_INCLUDE}/kohort/backends.hpp"
  CONTENT
    "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated from the enabled backends.
#pragma once

${backend_includes}")
