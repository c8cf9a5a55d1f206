# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Kokkos plugin, kohort::kokkos: headers alone, on the Kokkos that is found. KOHORT_KOKKOS_WHY says why it is
# off. Kokkos' own package is asked; where it is none (Debian's 5.2.2 names libraries that it does not bring), the
# header and the library in the compiler's own folders.
set(KOHORT_HAS_KOKKOS OFF)
set(KOHORT_KOKKOS_WHY "KOHORT_ENABLE_KOKKOS is OFF")
if(NOT KOHORT_ENABLE_KOKKOS)
  return()
endif()

# The define of a Kokkos without a package, as its config header has it.
function(kohort_read_kokkos_config include)
  file(STRINGS "${include}/KokkosCore_config.h" lines REGEX "^#define KOKKOS_(VERSION|ENABLE_[A-Z]+)( |$)")
  foreach(line IN LISTS lines)
    if(line MATCHES "KOKKOS_VERSION ([0-9]+)")
      math(EXPR major "${CMAKE_MATCH_1} / 10000")
      math(EXPR minor "${CMAKE_MATCH_1} / 100 % 100")
      math(EXPR patch "${CMAKE_MATCH_1} % 100")
      set(Kokkos_VERSION "${major}.${minor}.${patch}" PARENT_SCOPE)
    elseif(line MATCHES "KOKKOS_ENABLE_(CUDA|OPENMP|SERIAL|THREADS)$")
      set(Kokkos_ENABLE_${CMAKE_MATCH_1} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

if(NOT Kokkos_ROOT AND NOT Kokkos_DIR AND NOT CMAKE_PREFIX_PATH)
  find_path(KOHORT_KOKKOS_INCLUDE KokkosCore_config.h PATH_SUFFIXES kokkos)
  find_library(KOHORT_KOKKOS_LIBRARY kokkoscore)
endif()
if(KOHORT_KOKKOS_INCLUDE AND KOHORT_KOKKOS_LIBRARY)
  kohort_read_kokkos_config("${KOHORT_KOKKOS_INCLUDE}")
  add_library(kohort_found_kokkos INTERFACE)
  target_include_directories(kohort_found_kokkos SYSTEM INTERFACE "${KOHORT_KOKKOS_INCLUDE}")
  target_link_libraries(kohort_found_kokkos INTERFACE "${KOHORT_KOKKOS_LIBRARY}" ${CMAKE_DL_LIBS})
  if(Kokkos_ENABLE_OPENMP)
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    target_link_libraries(kohort_found_kokkos INTERFACE OpenMP::OpenMP_CXX)
  endif()
  add_library(Kokkos::kokkos ALIAS kohort_found_kokkos)
else()
  find_package(Kokkos 4.4 CONFIG)
  if(NOT TARGET Kokkos::kokkos)
    message(FATAL_ERROR "KOHORT_ENABLE_KOKKOS=ON: no Kokkos 4.4 or later was found. Name its folder with "
                        "-DKokkos_ROOT=…, or install Debian's libkokkos-dev (5.2.2).")
  endif()
endif()
if(Kokkos_VERSION VERSION_LESS 4.4)
  message(FATAL_ERROR "KOHORT_ENABLE_KOKKOS=ON: Kokkos ${Kokkos_VERSION} is older than 4.4")
endif()
if(Kokkos_ENABLE_CUDA AND NOT KOHORT_HAS_CUDA)
  message(FATAL_ERROR "KOHORT_ENABLE_KOKKOS=ON: this Kokkos has Cuda, and Kohort's CUDA backend is off "
                      "(${KOHORT_CUDA_WHY})")
endif()
if(NOT Kokkos_ENABLE_CUDA AND NOT KOHORT_HAS_SIMULATOR)
  message(FATAL_ERROR "KOHORT_ENABLE_KOKKOS=ON: this Kokkos has host spaces alone, which are simulated, and "
                      "KOHORT_ENABLE_SIMULATOR is OFF")
endif()
set(KOHORT_HAS_KOKKOS ON)

# Everything that is built on Kokkos.
add_custom_target(kohort_kokkos_all)

# kohort_add_kokkos_sources(<target> <file.cpp>...): as CUDA where Kokkos has Cuda, else as C++ for the simulator.
function(kohort_add_kokkos_sources target)
  if(Kokkos_ENABLE_CUDA)
    kohort_add_kernels(${target} FILES ${ARGN} TARGETS cuda)
  else()
    kohort_add_kernels(${target} FILES ${ARGN} TARGETS simulator)
  endif()
  target_link_libraries(${target} PRIVATE kohort::kokkos)
endfunction()
