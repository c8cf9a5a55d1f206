# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kohort::kohort: the API with every enabled backend.
add_library(kohort_kohort INTERFACE)
add_library(kohort::kohort ALIAS kohort_kohort)
set_target_properties(kohort_kohort PROPERTIES EXPORT_NAME kohort)
target_link_libraries(kohort_kohort INTERFACE kohort::portability)
foreach(backend IN ITEMS cpu cuda)
  if(TARGET kohort::${backend})
    target_link_libraries(kohort_kohort INTERFACE kohort::${backend})
  endif()
endforeach()

# kohort::kokkos: clusters as a Kokkos policy. Headers alone.
if(KOHORT_HAS_KOKKOS)
  add_library(kohort_kokkos INTERFACE)
  add_library(kohort::kokkos ALIAS kohort_kokkos)
  set_target_properties(kohort_kokkos PROPERTIES EXPORT_NAME kokkos)
  target_link_libraries(kohort_kokkos INTERFACE kohort::kohort Kokkos::kokkos)
  target_include_directories(
    kohort_kokkos INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/portability/kokkos/include>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # kohort::kokkos_views: a unit that a program compiles, since it replaces an operator new (the unit says why).
  if(KOHORT_HAS_SIMULATOR AND NOT Kokkos_ENABLE_CUDA)
    add_library(kohort_kokkos_views INTERFACE)
    add_library(kohort::kokkos_views ALIAS kohort_kokkos_views)
    target_sources(kohort_kokkos_views INTERFACE "${PROJECT_SOURCE_DIR}/portability/kokkos/src/watched_views.cpp")
    target_link_libraries(kohort_kokkos_views INTERFACE kohort::kokkos)
  endif()
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
