# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# kohort_embed_profiles(target)
#   Adds to `target` a source file, generated at build time, that holds the text of every
#   simulator/profiles/*.toml, so that the library needs no file beside it at run time.
#
# The same file is the script of that build step (cmake -P).

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  # OUTPUT and PROFILE_FOLDER come from the command line.
  file(GLOB profiles "${PROFILE_FOLDER}/*.toml")
  list(SORT profiles)
  set(entries "")
  foreach(profile IN LISTS profiles)
    get_filename_component(name "${profile}" NAME_WLE)
    file(READ "${profile}" text)
    string(APPEND entries "    {\"${name}\", R\"profile(${text})profile\"},\n")
  endforeach()
  file(WRITE "${OUTPUT}" "// Generated from simulator/profiles/*.toml by cmake/EmbedProfiles.cmake.
#include \"placement/embedded_profiles.hpp\"

namespace kohort::simulator::Impl {
namespace {
constexpr EmbeddedProfile profiles[] = {
${entries}};
}  // namespace

std::span<EmbeddedProfile const> embedded_profiles() { return profiles; }

}  // namespace kohort::simulator::Impl
")
  return()
endif()

function(kohort_embed_profiles target)
  get_filename_component(simulator "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../simulator" ABSOLUTE)
  # CONFIGURE_DEPENDS: a profile that is added or removed is noticed by the next build.
  file(GLOB profiles CONFIGURE_DEPENDS "${simulator}/profiles/*.toml")
  if(NOT profiles)
    message(FATAL_ERROR "kohort_embed_profiles: no profile in ${simulator}/profiles")
  endif()
  # The list of names is a dependency too: removing a file changes no time stamp of the others.
  set(names "${CMAKE_CURRENT_BINARY_DIR}/${target}_profile_names.txt")
  file(CONFIGURE OUTPUT "${names}" CONTENT "${profiles}\n" @ONLY)

  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded_profiles.cpp")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DPROFILE_FOLDER=${simulator}/profiles" -P
            "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
    DEPENDS ${profiles} "${names}" "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
    COMMENT "Embedding device profiles"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${simulator}")
endfunction()
