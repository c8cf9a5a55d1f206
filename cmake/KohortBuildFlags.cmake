# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Warnings and linking of Kohort's own targets. Nothing here reaches a consumer.

# kohort_own_target(<target>): warnings, and paths relative to the repository in reports.
function(kohort_own_target target)
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall>
            $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
            $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas> # `#pragma unroll` in headers that nvcc reads too
            # GCC 12 warns of overlaps inside its own std::string at -O3 (GCC bug 105651).
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
            $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
  if(KOHORT_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
endfunction()

# kohort_lines_only(<target>): of debug information the lines, which reports name, and not the variables: a fifth less to
# compile, for what nobody steps through.
function(kohort_lines_only target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:RelWithDebInfo>>:-g1>)
endfunction()

# kohort_own_program(<target>): an executable; honours KOHORT_STATIC_PROGRAMS.
function(kohort_own_program target)
  kohort_own_target(${target})
  if(KOHORT_STATIC_PROGRAMS)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    # ./gpu puts what can't be linked statically beside the programs.
    set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  endif()
endfunction()

# kohort_link_fmt(<target>): Debian has no static libfmt, so a static program takes the headers.
function(kohort_link_fmt target)
  find_package(fmt CONFIG REQUIRED)
  if(KOHORT_STATIC_PROGRAMS)
    target_link_libraries(${target} PRIVATE fmt::fmt-header-only)
  else()
    target_link_libraries(${target} PRIVATE fmt::fmt)
  endif()
endfunction()
