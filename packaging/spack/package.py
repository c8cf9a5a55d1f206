# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack recipe: put this folder into a Spack repository as packages/kohort/."""
from spack.package import *


class Kohort(CMakePackage):
    """C++20 library for cluster algorithms: kernels whose thread blocks work in co-resident groups.
    One source runs on CUDA thread-block clusters and on a CPU simulator."""

    license("Apache-2.0 WITH LLVM-exception")

    # A checkout is built with `spack develop --path <checkout> kohort@0.1.0`.
    version("0.1.0")

    variant("simulator", default=True, description="Build the CPU simulator")
    variant("cuda", default=False, description="Build the CUDA backend (sm_90a, sm_100a)")
    variant("program", default=True, description="Build the kernels and the kohort program")
    variant("benchmarks", default=False, description="Build the benchmarks")

    conflicts("~simulator ~cuda", msg="at least one of +simulator and +cuda is needed")
    conflicts("%gcc@:11", msg="C++20 as GCC 12 has it")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")

    with when("+simulator"):
        depends_on("intel-oneapi-tbb@2021.8:")
        depends_on("boost@1.74: +context")
        depends_on("fmt@9:")
        depends_on("tomlplusplus@3.3:")
        depends_on("elfutils@0.188:")
    depends_on("cuda@13:", when="+cuda")
    depends_on("cli11@2.1:", when="+program")
    depends_on("nlohmann-json@3.11:", when="+program")
    depends_on("fmt@9:", when="+program")
    depends_on("benchmark@1.7:", when="+benchmarks")

    def cmake_args(self):
        return [
            self.define_from_variant("KOHORT_ENABLE_SIMULATOR", "simulator"),
            self.define_from_variant("KOHORT_ENABLE_CUDA", "cuda"),
            self.define_from_variant("KOHORT_ENABLE_PROGRAM", "program"),
            self.define_from_variant("KOHORT_ENABLE_BENCHMARKS", "benchmarks"),
            self.define("KOHORT_ENABLE_TESTS", False),
            self.define("KOHORT_ENABLE_DOCS", False),
        ]
