# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kernels/<name>/types/*.cpp: kernels that are instantiated once a type, because each takes its minutes. Programs
# share the objects.

# kohort_link_kernel_units(<target> <way>...): adds those units to <target>, compiled for `simulator`, for `cuda`, for
# `hip`, or for the simulator and `checked`, that is instrumented. What this build lacks is left out.
function(kohort_link_kernel_units target)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/*/types/*.cpp")
  foreach(way IN LISTS ARGN)
    set(kernel_target ${way})
    if(way STREQUAL "checked")
      set(kernel_target simulator)
    endif()
    kohort_kernel_target_state(${kernel_target} why_not)
    if(why_not OR NOT sources)
      continue()
    endif()
    set(units kohort_kernel_units_${way})
    if(NOT TARGET ${units})
      add_library(${units} OBJECT)
      kohort_own_target(${units})
      kohort_lines_only(${units})
      target_include_directories(${units} PRIVATE "${PROJECT_SOURCE_DIR}")
      kohort_add_kernels(${units} FILES ${sources} TARGETS ${kernel_target})
      if(way STREQUAL "checked")
        kohort_check_target(${units})
      endif()
    endif()
    target_link_libraries(${target} PRIVATE ${units})
  endforeach()
endfunction()
