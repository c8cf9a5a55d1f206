# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The installed package: find_package(kohort CONFIG) gives kohort::kohort and kohort_add_kernels.
if(NOT KOHORT_ENABLE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kohort")
set(exported kohort_portability kohort_emulated kohort_kohort kohort_testing)
# The plugin's headers come along whether or not this build has Kokkos: its component looks for one.
set(include_dirs "${PROJECT_SOURCE_DIR}/portability/include" "${PROJECT_SOURCE_DIR}/backend/emulated/include"
                 "${PROJECT_SOURCE_DIR}/portability/kokkos/include"
                 "${KOHORT_GENERATED_INCLUDE}")
if(KOHORT_HAS_SIMULATOR)  # what it holds explores schedules of the simulator
  list(APPEND include_dirs "${PROJECT_SOURCE_DIR}/portability/testing/include")
endif()
if(KOHORT_HAS_SIMULATOR)
  list(APPEND exported kohort_simulator kohort_cpu)
  list(APPEND include_dirs "${PROJECT_SOURCE_DIR}/simulator/include"
       "${PROJECT_SOURCE_DIR}/backend/cpu/include")
endif()
if(KOHORT_HAS_CUDA)
  list(APPEND exported kohort_cuda)
  list(APPEND include_dirs "${PROJECT_SOURCE_DIR}/backend/cuda/include")
endif()
if(KOHORT_HAS_HIP)
  list(APPEND exported kohort_hip)
  list(APPEND include_dirs "${PROJECT_SOURCE_DIR}/backend/hip/include")
endif()

install(TARGETS ${exported} EXPORT kohort_targets)
foreach(dir IN LISTS include_dirs)
  install(DIRECTORY "${dir}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(EXPORT kohort_targets NAMESPACE kohort:: FILE kohortTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kohortConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/kohortConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kohortConfigVersion.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kohortConfig.cmake" "${PROJECT_BINARY_DIR}/kohortConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KohortKernels.cmake" "${PROJECT_SOURCE_DIR}/cmake/KohortCheck.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KohortKokkos.cmake" "${PROJECT_SOURCE_DIR}/portability/kokkos/src/watched_views.cpp"
        DESTINATION "${package_dir}")
if(TARGET kohort)
  set_target_properties(kohort PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS kohort)
endif()
