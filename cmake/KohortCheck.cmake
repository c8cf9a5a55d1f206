# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kohort_check_target: compiles a target's kernels so that mode check sees them. Installed with the package.

# kohort_check_target(<target>): the C++ units of <target> call the simulator's hooks at every access to memory.
#
# Nothing is linked for it: the hooks are the simulator's own. All units of the target are instrumented, because the
# linker keeps one copy of a template that several units instantiate, and it must be the one that is seen.
function(kohort_check_target target)
  if(NOT TARGET kohort::simulator)
    message(FATAL_ERROR "kohort_check_target(${target}): this Kohort was built without the simulator")
  endif()
  get_target_property(done ${target} KOHORT_CHECKED)
  if(done)
    return()
  endif()
  set_target_properties(${target} PROPERTIES KOHORT_CHECKED ON INTERPROCEDURAL_OPTIMIZATION OFF)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
    message(STATUS "kohort_check_target(${target}): left out, AddressSanitizer excludes it; mode check will say so")
    return()
  endif()
  # Compilers expand small copies without a hook unless they are calls; -g names the lines.
  set(flags "-fsanitize=thread -fno-builtin -fno-lto -fno-plt -g")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(APPEND flags " --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1 -Wno-tsan")
  else()
    # Vectors over 16 bytes have no hook; nor does the read of `*p += 1`, unless it is asked for.
    string(APPEND flags " -fno-vectorize -fno-slp-vectorize -mllvm -tsan-instrument-func-entry-exit=0"
           " -mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1")
  endif()
  target_compile_options(${target} PRIVATE "SHELL:$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
  # Whoever links a library's objects calls on their behalf.
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
    set(scope PUBLIC)
  endif()
  foreach(function IN ITEMS memcpy memmove memset memcmp)
    target_link_options(${target} ${scope} "LINKER:--wrap=${function}")
  endforeach()
endfunction()
