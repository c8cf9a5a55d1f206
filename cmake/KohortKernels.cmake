# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kohort_add_kernels: compiles one kernel source for several targets. Installed with the package.

if(NOT DEFINED KOHORT_CUDA_ARCHITECTURES)
  set(KOHORT_CUDA_ARCHITECTURES "90a;100a"
      CACHE STRING "Compute capabilities that kernels are built for")
endif()

if(NOT DEFINED KOHORT_HIP_ARCHITECTURES)
  set(KOHORT_HIP_ARCHITECTURES "gfx942;gfx950"
      CACHE STRING "AMD architectures that kernels are built for")
endif()

if(NOT DEFINED KOHORT_EMULATED_CLUSTERS)
  set(KOHORT_EMULATED_CLUSTERS OFF
      CACHE BOOL "Compile CUDA kernels for emulated clusters too, beside the device's own")
endif()

# kohort_add_kernels(<target> FILES <file.cpp>... [TARGETS simulator cuda hip])
#
# Adds each file to <target> once for every kernel target: as C++ for `simulator`, as CUDA for `cuda`, as HIP for `hip`,
# with KOHORT_UNIT_TARGET defined as `Simulator`, `Cuda` or `Hip`. A kernel target that this build of Kohort lacks is
# left out, and a status line says so; if none is left, that is an error. Without TARGETS, every target.
function(kohort_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;TARGETS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILES)
    message(FATAL_ERROR "kohort_add_kernels(${target}): expected FILES <file.cpp>... "
                        "[TARGETS simulator cuda hip], got \"${ARGN}\"")
  endif()
  if(NOT arg_TARGETS)
    set(arg_TARGETS simulator cuda hip)
  endif()
  set(added "")
  foreach(kernel_target IN LISTS arg_TARGETS)
    kohort_kernel_target_state(${kernel_target} why_not)
    if(why_not)
      message(STATUS "kohort_add_kernels(${target}): ${kernel_target} is left out, ${why_not}")
    else()
      list(APPEND added ${kernel_target})
    endif()
  endforeach()
  if(NOT added)
    message(FATAL_ERROR "kohort_add_kernels(${target}): none of the targets \"${arg_TARGETS}\" is enabled")
  endif()
  foreach(file IN LISTS arg_FILES)
    get_filename_component(file "${file}" ABSOLUTE)
    if(simulator IN_LIST added)
      kohort_add_simulator_unit(${target} "${file}")
    endif()
    if(cuda IN_LIST added)
      kohort_add_cuda_unit(${target} "${file}")
    endif()
    if(hip IN_LIST added)
      kohort_add_hip_unit(${target} "${file}")
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE kohort::kohort)
endfunction()

# Sets <result> to the reason why kernels can't be built for <kernel_target>, or to nothing.
function(kohort_kernel_target_state kernel_target result)
  set(why_not "")
  if(kernel_target STREQUAL "simulator")
    if(NOT TARGET kohort::simulator)
      set(why_not "this Kohort was built without the simulator")
    endif()
  elseif(kernel_target STREQUAL "cuda")
    if(NOT TARGET kohort::cuda)
      set(why_not "this Kohort was built without CUDA")
    elseif(DEFINED KOHORT_HAS_CUDA AND NOT KOHORT_HAS_CUDA)
      set(why_not "no CUDA toolkit was found")
    elseif(NOT CMAKE_CUDA_COMPILER_LOADED)
      set(why_not "the calling project does not enable the language CUDA")
    endif()
  elseif(kernel_target STREQUAL "hip")
    if(NOT TARGET kohort::hip)
      set(why_not "this Kohort was built without HIP")
    elseif(NOT CMAKE_HIP_COMPILER_LOADED)
      set(why_not "the calling project does not enable the language HIP")
    endif()
  else()
    message(FATAL_ERROR "kohort_add_kernels: \"${kernel_target}\" is no kernel target; there are simulator, cuda and hip")
  endif()
  set(${result} "${why_not}" PARENT_SCOPE)
endfunction()

function(kohort_add_simulator_unit target file)
  target_sources(${target} PRIVATE "${file}")
  set_property(
    SOURCE "${file}"
    TARGET_DIRECTORY ${target}
    APPEND
    PROPERTY COMPILE_DEFINITIONS KOHORT_UNIT_TARGET=Simulator)
  # A frame larger than the guard page must touch it: kernels run on small fiber stacks. A source that nvcc
  # reads too may hold its pragmas.
  set_property(
    SOURCE "${file}"
    TARGET_DIRECTORY ${target}
    APPEND
    PROPERTY COMPILE_OPTIONS -fstack-clash-protection -Wno-unknown-pragmas)
endfunction()

# A file of another language that includes <file>, as a source of <target>.
function(kohort_add_wrapped_unit target file extension unit_target)
  get_target_property(source_dir ${target} SOURCE_DIR)
  get_target_property(binary_dir ${target} BINARY_DIR)
  file(RELATIVE_PATH leaf "${source_dir}" "${file}")
  string(REPLACE "../" "" leaf "${leaf}")
  string(REGEX REPLACE "\\.cpp$" ".${extension}" leaf "${leaf}")
  set(wrapper "${binary_dir}/kohort_kernels/${target}/${leaf}")
  file(CONFIGURE OUTPUT "${wrapper}" CONTENT "#include \"${file}\"\n" @ONLY)
  target_sources(${target} PRIVATE "${wrapper}")
  set_property(
    SOURCE "${wrapper}"
    TARGET_DIRECTORY ${target}
    APPEND
    PROPERTY COMPILE_DEFINITIONS KOHORT_UNIT_TARGET=${unit_target})
endfunction()

function(kohort_add_cuda_unit target file)
  kohort_add_wrapped_unit(${target} "${file}" cu Cuda)
  kohort_cuda_options(${target})
endfunction()

function(kohort_add_hip_unit target file)
  kohort_add_wrapped_unit(${target} "${file}" hip Hip)
  set_target_properties(${target} PROPERTIES HIP_STANDARD 20 HIP_STANDARD_REQUIRED ON HIP_EXTENSIONS OFF
                                             HIP_ARCHITECTURES "${KOHORT_HIP_ARCHITECTURES}")
endfunction()

# kohort_cuda_options(<target>): the flags with which the CUDA units of <target> are compiled.
function(kohort_cuda_options target)
  get_target_property(done ${target} KOHORT_CUDA_OPTIONS)
  if(done)
    return()
  endif()
  # CMake 3.25 knows no C++20 for nvcc, so the language level is a flag.
  set(options -std=c++20 --extended-lambda -lineinfo)
  foreach(architecture IN LISTS KOHORT_CUDA_ARCHITECTURES)
    list(APPEND options -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  if(KOHORT_EMULATED_CLUSTERS)
    list(APPEND options -DKOHORT_EMULATED_CLUSTERS)
  endif()
  if(KOHORT_CUDA_PTXAS_VERBOSE)
    list(APPEND options -Xptxas=-v)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${options}>")
  set_target_properties(
    ${target}
    PROPERTIES KOHORT_CUDA_OPTIONS ON
               CUDA_ARCHITECTURES OFF
               CUDA_STANDARD_REQUIRED OFF
               CUDA_RUNTIME_LIBRARY Static)
endfunction()
