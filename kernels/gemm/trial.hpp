// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/gemm.hpp>
#include <kernels/gemm/reference.hpp>

#include <cstring>

namespace kohort::kernels::gemm {

/// A problem with random data on a target, for programs and tests that verify what they run.
template <class Target, class In>
class Trial {
 public:
  using Out = OutOf<In>;

  /// @param shift  elements by which the operands and the result are moved from where a Buffer
  ///               starts, so that tile maps may no longer fit
  Trial(Target const& target, Problem const& problem, Steps const& steps, std::uint64_t seed,
        int shift = 0)
      : target_(target),
        inputs_(problem, steps, seed),
        shift_(static_cast<std::size_t>(shift)),
        a_(shifted(inputs_.a)),
        b_(shifted(inputs_.b)),
        d_(target, result_size() + shift_ + guard),
        c_(uploaded(inputs_.c)),
        residual_(uploaded(inputs_.residual)),
        row_scale_(uploaded(inputs_.row_scale)),
        bias_(uploaded(inputs_.bias)) {
    poison();
  }

  Gemm<Target, In> make_gemm(Wish const& wish = {}) const {
    return Gemm<Target, In>(target_, inputs_.problem, a(), b(), d(), epilogue(), wish);
  }

  Target const& target() const { return target_; }
  Problem const& problem() const { return inputs_.problem; }
  Steps const& steps() const { return inputs_.steps; }
  In const* a() const { return a_.data() + shift_; }
  In const* b() const { return b_.data() + shift_; }
  Out* d() const { return d_.data() + shift_; }

  /// Fills the result, and what lies around it, with what is no number.
  void poison() {
    std::vector<Out> values(d_.size());
    std::memset(static_cast<void*>(values.data()), 0xff, values.size() * sizeof(Out));
    deep_copy(d_, values);
  }

  Comparison compare() const {
    std::vector<Out> all(d_.size());
    deep_copy(all, d_);
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(shift_);
    auto const end = first + static_cast<std::ptrdiff_t>(result_size());
    Comparison comparison = Reference<In>(inputs_, accumulation_bound<Target, In>())
                                .compare(std::vector<Out>(first, end));
    auto const is_written = [](Out value) { return !std::isnan(static_cast<float>(value)); };
    if (std::any_of(all.begin(), first, is_written) || std::any_of(end, all.end(), is_written))
      comparison.merge({INFINITY, 0, "something was written beside the result"});
    return comparison;
  }

 private:
  static constexpr std::size_t guard = 512;  ///< elements behind the result that stay poisoned

  std::size_t result_size() const {
    Problem const& p = inputs_.problem;
    return static_cast<std::size_t>(p.batch * p.m * p.n);
  }
  Epilogue<Out> epilogue() const {
    Epilogue<Out> result;  // an empty Buffer has no data
    result.alpha = inputs_.steps.alpha;
    result.beta = inputs_.steps.beta;
    result.c = c_.data();
    result.row_scale = row_scale_.data();
    result.bias = bias_.data();
    result.residual = residual_.data();
    result.activation = inputs_.steps.activation;
    return result;
  }
  template <class T>
  Buffer<T, Target> uploaded(std::vector<T> const& values) const {
    Buffer<T, Target> buffer(target_, values.size());
    deep_copy(buffer, values);
    return buffer;
  }
  Buffer<In, Target> shifted(std::vector<In> values) const {
    values.insert(values.begin(), shift_, In(0.0f));
    return uploaded(values);
  }

  Target target_;
  Inputs<In> inputs_;
  std::size_t shift_;
  Buffer<In, Target> a_;
  Buffer<In, Target> b_;
  Buffer<Out, Target> d_;
  Buffer<Out, Target> c_;
  Buffer<Out, Target> residual_;
  Buffer<float, Target> row_scale_;
  Buffer<float, Target> bias_;
};

}  // namespace kohort::kernels::gemm
