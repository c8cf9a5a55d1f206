// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/trial.hpp>

#if defined(__CUDACC__) && __has_include(<cublasLt.h>)
#include <kernels/gemm/cublas.hpp>
#define KOHORT_GEMM_HAS_CUBLAS 1
#else
#define KOHORT_GEMM_HAS_CUBLAS 0
#endif

namespace kohort::kernels::gemm {

/// The vendor's library with a trial's product, to be timed beside ours.
template <class Target, class In>
class Rival {
 public:
  explicit Rival(Trial<Target, In> const&) {}
  std::string why_not() const { return "this program was built without cuBLAS's headers"; }
  void launch() {}
};

#if KOHORT_GEMM_HAS_CUBLAS
template <class In>
class Rival<Cuda, In> {
 public:
  explicit Rival(Trial<Cuda, In> const& trial)
      : trial_(trial),
        result_(trial.target(), static_cast<std::size_t>(trial.problem().m * trial.problem().n)) {
    if (!is_plain())
      why_not_ =
          "compared where A is row-major, B column-major, D row-major, without batch and epilogue";
    if (why_not_.empty()) open();
  }
  /// Empty: it can be launched.
  std::string why_not() const { return why_not_; }

  void launch() {
    if constexpr (sizeof(In) == 1) {
      plan_->multiply(trial_.a(), trial_.b(), result_.data());
    } else {
      cublas_->multiply(m(), n(), k(), trial_.a(), trial_.b(), result_.data(), type());
    }
  }

 private:
  bool is_plain() const {
    Problem const& p = trial_.problem();
    Steps const& steps = trial_.steps();
    return p.a_order == Order::row_major && p.b_order == Order::column_major &&
           p.d_order == Order::row_major && p.batch == 1 && steps.alpha == 1 && steps.beta == 0 &&
           steps.activation == Activation::none && !steps.has_bias && !steps.has_residual &&
           !steps.has_row_scale;
  }
  void open() {
    try {
      cublas_ = std::make_unique<Cublas>();
      cublas_->set_stream(trial_.target().stream());
      // Accumulated as the matrix unit does it, which is what ours does.
      if constexpr (sizeof(In) == 1)
        plan_ = std::make_unique<Cublas::Float8Plan>(*cublas_, m(), n(), k(), true);
      launch();
      trial_.target().fence("cuBLAS");
    } catch (std::runtime_error const& error) {
      why_not_ = error.what();
    }
  }
  int m() const { return static_cast<int>(trial_.problem().m); }
  int n() const { return static_cast<int>(trial_.problem().n); }
  int k() const { return static_cast<int>(trial_.problem().k); }
  static cudaDataType type() {
    if constexpr (std::is_same_v<In, float16>) return CUDA_R_16F;
    return std::is_same_v<In, bfloat16> ? CUDA_R_16BF : CUDA_R_32F;
  }

  Trial<Cuda, In> const& trial_;
  Buffer<OutOf<In>, Cuda> result_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<Cublas::Float8Plan> plan_;
  std::string why_not_;
};
#endif

}  // namespace kohort::kernels::gemm
