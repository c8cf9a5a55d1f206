// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/kohort.hpp>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace kohort::kernels::gemm {

/// NVIDIA's cuBLAS, for comparison: opened when asked for, so that nothing links it.
class Cublas {
 public:
  /// @throws std::runtime_error with what was looked for
  Cublas()
      : blas_(open("libcublas.so")),
        blas_lt_(open("libcublasLt.so")),
        create_(find<decltype(&cublasCreate_v2)>(blas_, "cublasCreate_v2")),
        set_stream_(find<decltype(&cublasSetStream_v2)>(blas_, "cublasSetStream_v2")),
        gemm_(find<GemmEx>(blas_, "cublasGemmEx")),
        lt_create_(find<decltype(&cublasLtCreate)>(blas_lt_, "cublasLtCreate")) {
    require(create_(&handle_), "cublasCreate");
    require(lt_create_(&lt_handle_), "cublasLtCreate");
    if (cudaMalloc(&workspace_, workspace_bytes) != cudaSuccess)
      throw std::runtime_error("no device memory for cuBLAS's workspace");
  }
  Cublas(Cublas const&) = delete;
  Cublas& operator=(Cublas const&) = delete;
  ~Cublas() { cudaFree(workspace_); }

  void set_stream(cudaStream_t stream) {
    stream_ = stream;
    require(set_stream_(handle_, stream), "cublasSetStream");
  }

  /// D = A·B: A row-major, B column-major, D row-major, packed. 16-bit types and float (as TF32).
  void multiply(int m, int n, int k, void const* a, void const* b, void* d, cudaDataType type) {
    float const one = 1;
    float const zero = 0;
    cublasComputeType_t const compute =
        type == CUDA_R_32F ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    // Its matrices are column-major: this is D^T = B^T · A^T.
    require(gemm_(handle_, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, b, type, k, a, type, k, &zero,
                  d, type, n, compute, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
  }

  /// The same of 8-bit floats by cuBLASLt, with a bfloat16 result. The algorithm is looked for once
  /// and kept in the plan.
  class Float8Plan {
   public:
    Float8Plan(Cublas& cublas, int m, int n, int k, bool fast_accumulation) : cublas_(cublas) {
      auto const lt = [&](char const* name) { return cublas.lt_symbol(name); };
      matmul_ = reinterpret_cast<decltype(&cublasLtMatmul)>(lt("cublasLtMatmul"));
      auto const make_operation =
          reinterpret_cast<decltype(&cublasLtMatmulDescCreate)>(lt("cublasLtMatmulDescCreate"));
      auto const set = reinterpret_cast<decltype(&cublasLtMatmulDescSetAttribute)>(
          lt("cublasLtMatmulDescSetAttribute"));
      auto const make_layout =
          reinterpret_cast<decltype(&cublasLtMatrixLayoutCreate)>(lt("cublasLtMatrixLayoutCreate"));
      require(make_operation(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "matmul description");
      cublasOperation_t const transposed = CUBLAS_OP_T;
      set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
      std::int8_t const fast = fast_accumulation ? 1 : 0;
      set(operation_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
      make_layout(&a_, CUDA_R_8F_E4M3, k, n, k);
      make_layout(&b_, CUDA_R_8F_E4M3, k, m, k);
      make_layout(&d_, CUDA_R_16BF, n, m, n);
      choose(lt);
    }

    void multiply(void const* a, void const* b, void* d) {
      float const one = 1;
      float const zero = 0;
      require(matmul_(cublas_.lt_handle_, operation_, &one, b, a_, a, b_, &zero, d, d_, d, d_,
                      &algorithm_, cublas_.workspace_, workspace_bytes, cublas_.stream_),
              "cublasLtMatmul");
    }

   private:
    template <class Find>
    void choose(Find const& lt) {
      auto const make = reinterpret_cast<decltype(&cublasLtMatmulPreferenceCreate)>(
          lt("cublasLtMatmulPreferenceCreate"));
      auto const set = reinterpret_cast<decltype(&cublasLtMatmulPreferenceSetAttribute)>(
          lt("cublasLtMatmulPreferenceSetAttribute"));
      auto const ask = reinterpret_cast<decltype(&cublasLtMatmulAlgoGetHeuristic)>(
          lt("cublasLtMatmulAlgoGetHeuristic"));
      cublasLtMatmulPreference_t preference = nullptr;
      require(make(&preference), "matmul preference");
      std::size_t const bytes = workspace_bytes;
      set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
      cublasLtMatmulHeuristicResult_t result{};
      int found = 0;
      require(ask(cublas_.lt_handle_, operation_, a_, b_, d_, d_, preference, 1, &result, &found),
              "cublasLtMatmulAlgoGetHeuristic");
      if (found == 0) throw std::runtime_error("cuBLASLt has no algorithm for this product");
      algorithm_ = result.algo;
    }

    Cublas& cublas_;
    decltype(&cublasLtMatmul) matmul_ = nullptr;
    cublasLtMatmulDesc_t operation_ = nullptr;
    cublasLtMatrixLayout_t a_ = nullptr;
    cublasLtMatrixLayout_t b_ = nullptr;
    cublasLtMatrixLayout_t d_ = nullptr;
    cublasLtMatmulAlgo_t algorithm_{};
  };

 private:
  // Its header overloads the name.
  using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                    int, void const*, void const*, cudaDataType, int, void const*,
                                    cudaDataType, int, void const*, void*, cudaDataType, int,
                                    cublasComputeType_t, cublasGemmAlgo_t);
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;  ///< as PyTorch on Hopper

  static void* open(std::string const& name) {
    for (char const* version : {".13", ".12", ""}) {
      if (void* library = dlopen((name + version).c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
    }
    throw std::runtime_error("no " + name + " (13 or 12) on the library path");
  }
  template <class Function>
  static Function find(void* library, char const* name) {
    void* const address = dlsym(library, name);
    if (address == nullptr) throw std::runtime_error(std::string("cuBLAS has no ") + name);
    return reinterpret_cast<Function>(address);
  }
  void* lt_symbol(char const* name) const { return find<void*>(blas_lt_, name); }
  static void require(cublasStatus_t status, char const* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error(std::string(what) + " failed with " + std::to_string(status));
  }

  void* blas_;
  void* blas_lt_;
  decltype(&cublasCreate_v2) create_;
  decltype(&cublasSetStream_v2) set_stream_;
  GemmEx gemm_;
  decltype(&cublasLtCreate) lt_create_;
  cublasHandle_t handle_ = nullptr;
  cublasLtHandle_t lt_handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace kohort::kernels::gemm
