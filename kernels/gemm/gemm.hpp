// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/gemm/choice.hpp>
#include <kernels/gemm/problem.hpp>

#include <memory>

namespace kohort::kernels::gemm {

/// A launch that is made once and repeated.
class Launcher {
 public:
  Launcher() = default;
  Launcher(Launcher const&) = delete;
  Launcher& operator=(Launcher const&) = delete;
  virtual ~Launcher() = default;
  virtual int launches() const = 0;
  virtual void launch(int which) const = 0;
};

/// D = epilogue(alpha · A·B + beta · C) on `Target`, for operands of type `In` in device memory.
///
/// In: bfloat16, float16, tfloat32, float8_e4m3. Built once, launched as often as wanted; the data
/// may change in between, addresses and sizes may not.
template <class Target, class In>
class Gemm {
 public:
  using Out = OutOf<In>;

  /// @param wish  how to cut the problem up: a whole choice, or a part; the library guesses the
  /// rest
  /// @throws std::invalid_argument for sizes under 1, and for a wish that the problem's types,
  ///         sizes or layouts rule out; it says what would work. LaunchError when launched, where
  ///         the device has no such clusters.
  Gemm(Target const& target, Problem const& problem, In const* a, In const* b, Out* d,
       Epilogue<Out> const& epilogue = {}, Wish const& wish = {});

  void launch() const {
    for (int which = 0; which < launches(); ++which) launch(which);
  }
  /// The kernels that this takes: one, or where K is cut into parts, one more that adds them up.
  int launches() const { return launcher_->launches(); }
  void launch(int which) const { launcher_->launch(which); }

  Choice const& choice() const { return choice_; }

  /// All choices that exist for the problem and fulfil the wish, for tuning; without a wish for a
  /// tile or a cluster, those that the device has room for.
  std::vector<Choice> const& choices() const { return choices_; }

  /// Bytes of scratch-bound tiles that one launch fetches from device memory, those of A among
  /// them, and what it would fetch if no teams shared any. The general kernel has no such tiles: 0.
  long long fetched_bytes() const { return fetched_bytes_; }
  long long fetched_bytes_of_a() const { return fetched_bytes_of_a_; }
  long long unshared_bytes() const { return unshared_bytes_; }

 private:
  /// By one of the tiled kernels of `family`, or, where none is resident, left undecided.
  template <class Family>
  void tile(Family const& family, Target const& target, Operands<In> const& with,
            Epilogue<Out> const& finish, Wish const& wish, Extent const& extent);

  std::shared_ptr<Launcher> launcher_;
  Choice choice_;
  std::vector<Choice> choices_;
  long long fetched_bytes_ = 0;
  long long fetched_bytes_of_a_ = 0;
  long long unshared_bytes_ = 0;
};

}  // namespace kohort::kernels::gemm
