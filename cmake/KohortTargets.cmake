# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kohort::kohort: the API with every enabled backend.
add_library(kohort_kohort INTERFACE)
add_library(kohort::kohort ALIAS kohort_kohort)
set_target_properties(kohort_kohort PROPERTIES EXPORT_NAME kohort)
target_link_libraries(kohort_kohort INTERFACE kohort::portability)
foreach(backend IN ITEMS cpu cuda hip)
  if(TARGET kohort::${backend})
    target_link_libraries(kohort_kohort INTERFACE kohort::${backend})
  endif()
endforeach()

# kohort::kokkos: clusters as a Kokkos policy. KOHORT_KOKKOS_WHY says why it is off.
set(KOHORT_HAS_KOKKOS OFF)
set(KOHORT_KOKKOS_WHY "KOHORT_ENABLE_KOKKOS is OFF")
if(KOHORT_ENABLE_KOKKOS)
  kohort_find_kokkos(kokkos_lacks)
  if(kokkos_lacks)
    message(FATAL_ERROR "KOHORT_ENABLE_KOKKOS=ON: ${kokkos_lacks}.")
  endif()
  set(KOHORT_HAS_KOKKOS ON)
  kohort_define_kokkos("${PROJECT_SOURCE_DIR}/portability/kokkos/include"
                       "${PROJECT_SOURCE_DIR}/portability/kokkos/src/watched_views.cpp")
  add_custom_target(kohort_kokkos_all) # everything that is built on Kokkos
endif()

# kohort::testing: what a user's tests call. Headers alone until portability/testing holds sources.
file(GLOB testing_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/portability/testing/*.cpp")
if(testing_sources)
  add_library(kohort_testing STATIC ${testing_sources})
  target_link_libraries(kohort_testing PUBLIC kohort::kohort)
  kohort_own_target(kohort_testing)
  set_target_properties(kohort_testing PROPERTIES POSITION_INDEPENDENT_CODE ON)
else()
  add_library(kohort_testing INTERFACE)
  target_link_libraries(kohort_testing INTERFACE kohort::kohort)
endif()
if(testing_sources)
  set(testing_scope PUBLIC)
else()
  set(testing_scope INTERFACE)
endif()
target_include_directories(
  kohort_testing ${testing_scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/portability/testing/include>
                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(kohort::testing ALIAS kohort_testing)
set_target_properties(kohort_testing PROPERTIES EXPORT_NAME testing)
