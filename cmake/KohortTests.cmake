# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How tests/ becomes CTest cases.

# True where a test may launch on a GPU.
function(kohort_detect_cuda_device result)
  set(${result} OFF PARENT_SCOPE)
  if(NOT KOHORT_HAS_CUDA)
    return()
  endif()
  if(KOHORT_TEST_CUDA_DEVICE STREQUAL "AUTO")
    if(EXISTS "/proc/driver/nvidia/version" OR EXISTS "/dev/nvidia0")
      set(${result} ON PARENT_SCOPE)
    endif()
  elseif(KOHORT_TEST_CUDA_DEVICE)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# A GoogleTest executable's cases, and one case that fails if it lists none.
function(kohort_discover_tests program label filter)
  # Before a test run, not after a link: a build never starts what it built.
  gtest_discover_tests(
    ${program}
    TEST_PREFIX "${label}:"
    TEST_FILTER "${filter}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120
    PROPERTIES LABELS "${label}" TIMEOUT 600)
  add_test(NAME ${program}.${label}.lists_cases COMMAND ${program} --gtest_list_tests
                                                         "--gtest_filter=${filter}")
  set_tests_properties(${program}.${label}.lists_cases PROPERTIES PASS_REGULAR_EXPRESSION "\n  [A-Za-z0-9]"
                                                                  LABELS "${label}")
endfunction()

# kohort_add_test_folder(<folder>): tests/<folder>/*.cpp as kohort_test_<folder>.
function(kohort_add_test_folder folder)
  if(folder STREQUAL "detect" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
    message(STATUS "tests/detect: left out, AddressSanitizer excludes the instrumentation of mode check")
    return()
  endif()
  set(path "${PROJECT_SOURCE_DIR}/tests/${folder}")
  file(GLOB sources CONFIGURE_DEPENDS "${path}/*.cpp")
  file(GLOB anything "${path}/*")
  if(NOT anything)
    return()
  endif()
  set(every_target ${sources})
  list(FILTER every_target INCLUDE REGEX "_kernels_every_target\\.cpp$")
  set(host_and_simulator ${sources})
  list(FILTER host_and_simulator EXCLUDE REGEX "_kernels_every_target\\.cpp$")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(NOT tests)
    message(FATAL_ERROR "tests/${folder} exists and holds no *_test.cpp: no tests found is an error")
  endif()

  set(program kohort_test_${folder})
  add_executable(${program})
  kohort_own_target(${program})
  kohort_lines_only(${program})
  target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}" "${path}")
  target_compile_definitions(${program} PRIVATE KOHORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${program} PRIVATE kohort::testing GTest::gmock rapidcheck)
  if(NOT EXISTS "${path}/main.cpp")
    target_link_libraries(${program} PRIVATE GTest::gtest_main)
  endif()
  kohort_link_fmt(${program})
  kohort_add_kernels(${program} FILES ${host_and_simulator} TARGETS simulator)
  if(every_target)
    kohort_add_kernels(${program} FILES ${every_target} TARGETS simulator cuda hip)
  endif()
  if(folder STREQUAL "kernels")
    kohort_link_kernel_units(${program} simulator)
  endif()
  if(folder STREQUAL "detect")
    # The corpus is compiled for CUDA as well (kernels/check): here, and for the simulator, all is instrumented.
    if(TARGET kohort_corpus)  # the objects of kohort-check (kernels/CMakeLists.txt)
      target_link_libraries(${program} PRIVATE kohort_corpus)
    else()
      file(GLOB corpus CONFIGURE_DEPENDS "${path}/corpus/*.cpp")
      kohort_add_kernels(${program} FILES ${corpus} TARGETS simulator)
    endif()
    kohort_check_target(${program})
  endif()
  kohort_discover_tests(${program} cpu "*")
endfunction()

# tests/conformance: each NN_name.cpp for every target, listed by the host-only main.cpp.
function(kohort_add_conformance)
  set(path "${PROJECT_SOURCE_DIR}/tests/conformance")
  file(GLOB rungs CONFIGURE_DEPENDS "${path}/[0-9][0-9]_*.cpp")
  file(GLOB host_sources CONFIGURE_DEPENDS "${path}/*.cpp")
  file(GLOB anything "${path}/*")
  if(NOT anything)
    return()
  endif()
  list(FILTER host_sources EXCLUDE REGEX "/[0-9][0-9]_[^/]*\\.cpp$")
  if(NOT rungs OR NOT host_sources)
    message(FATAL_ERROR "tests/conformance needs NN_name.cpp files and main.cpp: no tests found is an error")
  endif()
  add_executable(kohort_conformance ${host_sources})
  target_include_directories(kohort_conformance PRIVATE "${PROJECT_SOURCE_DIR}" "${path}")
  target_link_libraries(kohort_conformance PRIVATE kohort::testing GTest::gtest)
  kohort_own_program(kohort_conformance)
  kohort_lines_only(kohort_conformance)
  # Twenty units take nvcc half a minute an architecture. The program is built for all of them; the ladder for
  # the one that a machine at hand can run, unless asked for more.
  set(KOHORT_CUDA_ARCHITECTURES ${KOHORT_CUDA_CONFORMANCE_ARCHITECTURES})
  kohort_add_kernels(kohort_conformance FILES ${rungs} TARGETS simulator cuda hip)
  kohort_link_kernel_units(kohort_conformance checked cuda hip)
  if(KOHORT_HAS_SIMULATOR)
    # Instrumented, so that the ladder runs in mode check too; in mode run its hooks end at once.
    kohort_check_target(kohort_conformance)
    kohort_discover_tests(kohort_conformance cpu "*Simulator*")
    include("${path}/variations.cmake")
  endif()
  if(KOHORT_RUN_CUDA_TESTS)
    kohort_discover_tests(kohort_conformance cuda "*Cuda*")
  endif()
  if(KOHORT_HAS_HIP AND EXISTS "/dev/kfd") # the driver's device
    kohort_discover_tests(kohort_conformance hip "*Hip*")
  endif()
endfunction()

# Each header that a user may include is compiled alone, and read twice.
function(kohort_add_header_tests)
  foreach(include_dir IN ITEMS portability/include simulator/include backend/cpu/include backend/emulated/include)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${include_dir}"
         "${PROJECT_SOURCE_DIR}/${include_dir}/*.hpp")
    foreach(header IN LISTS headers)
      add_test(
        NAME header:${header}
        COMMAND
          ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas
          "-I$<JOIN:$<TARGET_PROPERTY:kohort_header_flags,INCLUDE_DIRECTORIES>,;-I>" -include ${header}
          -include ${header} -x c++ /dev/null
        COMMAND_EXPAND_LISTS)
      set_tests_properties(header:${header} PROPERTIES LABELS "cpu;header")
    endforeach()
  endforeach()
  # Never built: only its include folders are read.
  file(WRITE "${PROJECT_BINARY_DIR}/generated/header_flags.cpp" "")
  add_library(kohort_header_flags OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/generated/header_flags.cpp")
  target_link_libraries(kohort_header_flags PRIVATE kohort::testing)
endfunction()

# tests/compile_failure/*.cpp: must fail with the text of its `// expect:` line, and compile with KOHORT_CONTROL.
function(kohort_add_compile_failure_tests)
  set(path "${PROJECT_SOURCE_DIR}/tests/compile_failure")
  file(GLOB cases CONFIGURE_DEPENDS "${path}/*.cpp")
  file(GLOB anything "${path}/*")
  if(NOT anything)
    return()
  endif()
  if(NOT cases)
    message(FATAL_ERROR "tests/compile_failure exists and holds no *.cpp: no tests found is an error")
  endif()
  foreach(case IN LISTS cases)
    cmake_path(GET case STEM name)
    add_test(
      NAME compile_failure:${name}
      COMMAND
        ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DFILE=${case}
        "-DINCLUDE_DIRS=$<TARGET_PROPERTY:kohort_header_flags,INCLUDE_DIRECTORIES>" -P
        "${PROJECT_SOURCE_DIR}/cmake/compile_failure.cmake")
    set_tests_properties(compile_failure:${name} PROPERTIES LABELS "cpu;compile_failure")
  endforeach()
endfunction()

# tests/install: the project of ten lines, against an installed package and as a subdirectory.
function(kohort_add_install_tests)
  if(NOT KOHORT_HAS_SIMULATOR OR NOT KOHORT_ENABLE_INSTALL)
    return()
  endif()
  set(ways package subdirectory)
  if(TARGET kohort::kokkos_views)
    list(APPEND ways kokkos)
    add_dependencies(kohort_kokkos_all kohort_testing kohort_simulator)
  endif()
  foreach(way IN LISTS ways)
    add_test(
      NAME install:${way}
      COMMAND
        ${CMAKE_COMMAND} -DWAY=${way} -DKOHORT_SOURCE=${PROJECT_SOURCE_DIR} -DKOHORT_BUILD=${PROJECT_BINARY_DIR}
        -DGENERATOR=${CMAKE_GENERATOR} -DCXX_COMPILER=${CMAKE_CXX_COMPILER} -DCXX_FLAGS=${CMAKE_CXX_FLAGS}
        -DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} -DKOKKOS_ROOT=${Kokkos_ROOT} -P "${PROJECT_SOURCE_DIR}/tests/install/run.cmake")
    set_tests_properties(install:${way} PROPERTIES LABELS "cpu;install;slow" TIMEOUT 900)
    if(way STREQUAL "kokkos")
      set_tests_properties(install:${way} PROPERTIES LABELS "kokkos;install;slow")
    endif()
  endforeach()
endfunction()

# tests/kokkos/*.cpp, on every space of the Kokkos that was found.
function(kohort_add_kokkos_tests)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/kokkos/*.cpp")
  add_executable(kohort_test_kokkos)
  kohort_own_target(kohort_test_kokkos)
  if(Kokkos_ENABLE_CUDA)
    set(KOHORT_CUDA_ARCHITECTURES ${KOHORT_CUDA_CONFORMANCE_ARCHITECTURES})
    set_target_properties(kohort_test_kokkos PROPERTIES LINKER_LANGUAGE CUDA)
  endif()
  kohort_add_kokkos_sources(kohort_test_kokkos ${sources})
  target_include_directories(kohort_test_kokkos PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests/kokkos")
  target_link_libraries(kohort_test_kokkos PRIVATE GTest::gmock)
  add_dependencies(kohort_kokkos_all kohort_test_kokkos)
  if(NOT Kokkos_ENABLE_CUDA OR KOHORT_RUN_CUDA_TESTS)
    kohort_discover_tests(kohort_test_kokkos kokkos "*")
  endif()
  if(NOT Kokkos_ENABLE_CUDA)
    set(flags "")
    if(Kokkos_ENABLE_OPENMP)
      set(flags -fopenmp)
    endif()
    file(GLOB cases CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/compile_failure/kokkos/*.cpp")
    foreach(case IN LISTS cases)
      cmake_path(GET case STEM name)
      add_test(
        NAME compile_failure:kokkos.${name}
        COMMAND
          ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DFILE=${case} -DFLAGS=${flags}
          "-DINCLUDE_DIRS=$<TARGET_PROPERTY:kohort_test_kokkos,INCLUDE_DIRECTORIES>" -P
          "${PROJECT_SOURCE_DIR}/cmake/compile_failure.cmake")
      set_tests_properties(compile_failure:kokkos.${name} PROPERTIES LABELS "kokkos;compile_failure")
    endforeach()
  endif()
  if(TARGET kohort::kokkos_views AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/kokkos_check/*.cpp")
    add_executable(kohort_test_kokkos_check)
    kohort_own_target(kohort_test_kokkos_check)
    kohort_add_kokkos_sources(kohort_test_kokkos_check ${sources})
    kohort_check_target(kohort_test_kokkos_check)
    target_include_directories(kohort_test_kokkos_check PRIVATE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(kohort_test_kokkos_check PRIVATE kohort::kokkos_views GTest::gmock)
    add_dependencies(kohort_kokkos_all kohort_test_kokkos_check)
    kohort_discover_tests(kohort_test_kokkos_check kokkos "*")
  endif()
endfunction()
