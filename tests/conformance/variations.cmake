# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The whole ladder once more on other simulated devices and under other schedules: the same program, another
# environment. Included after kohort_conformance exists.

# kohort_add_conformance_variation(<name> <VARIABLE=value>...)
function(kohort_add_conformance_variation name)
  add_test(NAME conformance:${name} COMMAND kohort_conformance "--gtest_filter=Simulator/*" --gtest_brief=1)
  set_tests_properties(
    conformance:${name}
    PROPERTIES ENVIRONMENT "${ARGN}"
               LABELS "cpu;variation"
               TIMEOUT 600
               FAIL_REGULAR_EXPRESSION "\\] 0 tests from")
endfunction()

# Subgroups of 4, teams of 64 threads, clusters of up to 4; the H200 otherwise. Wavefronts of 64 and 8 XCDs, 4 of them, one
# of them, and one L2: clusters in software.
kohort_add_conformance_variation(tiny KOHORT_SIM_PROFILE=tiny)
kohort_add_conformance_variation(tiny-random KOHORT_SIM_PROFILE=tiny KOHORT_SIM_SCHEDULE=random:3)
kohort_add_conformance_variation(mi350x KOHORT_SIM_PROFILE=mi350x)
kohort_add_conformance_variation(mi350x-dpx-random KOHORT_SIM_PROFILE=mi350x-dpx KOHORT_SIM_SCHEDULE=random:5)
kohort_add_conformance_variation(mi350x-cpx-reverse KOHORT_SIM_PROFILE=mi350x-cpx KOHORT_SIM_SCHEDULE=reverse)
kohort_add_conformance_variation(mi300x KOHORT_SIM_PROFILE=mi300x)
kohort_add_conformance_variation(a100 KOHORT_SIM_PROFILE=a100)
kohort_add_conformance_variation(emulated KOHORT_CLUSTER_MODE=emulated)
kohort_add_conformance_variation(reverse KOHORT_SIM_SCHEDULE=reverse)
kohort_add_conformance_variation(last KOHORT_SIM_SCHEDULE=last:0)
kohort_add_conformance_variation(exit-first KOHORT_SIM_SCHEDULE=exit-first:1)
kohort_add_conformance_variation(late KOHORT_SIM_SCHEDULE=late)
kohort_add_conformance_variation(random KOHORT_SIM_SCHEDULE=random:1)
kohort_add_conformance_variation(pct KOHORT_SIM_SCHEDULE=pct:3:4)
kohort_add_conformance_variation(one-worker KOHORT_SIM_THREADS=1)

# In mode check nothing may be reported: on the ladder every synchronisation does what its page says.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*address")
  kohort_add_conformance_variation(check KOHORT_SIM_MODE=check)
  kohort_add_conformance_variation(check-tiny KOHORT_SIM_MODE=check KOHORT_SIM_PROFILE=tiny)
  kohort_add_conformance_variation(check-random KOHORT_SIM_MODE=check KOHORT_SIM_SCHEDULE=random:1)
  kohort_add_conformance_variation(check-emulated KOHORT_SIM_MODE=check KOHORT_SIM_PROFILE=tiny KOHORT_CLUSTER_MODE=emulated)
  kohort_add_conformance_variation(check-one-worker KOHORT_SIM_MODE=check KOHORT_SIM_THREADS=1)
endif()
