// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kernels/bench/measure.cuh>
#include <kernels/gemm/gemm.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

/// Data and verification of the GEMM benchmark, on the device: the matrices are up to 512 MB.
namespace kohort::bench {

/// Normally distributed (Box and Muller, from two halves of SplitMix64's word over a counter).
template <class T>
__global__ void fill_normal(T* data, std::size_t count, unsigned long long seed) {
  std::size_t const stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    unsigned long long word = (i + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27U)) * 0x94d049bb133111ebULL;
    word ^= word >> 31U;
    float const radius = sqrtf(-2.0f * logf(static_cast<float>((word >> 40U) + 1) * 0x1p-24f));
    data[i] = T(radius * cospif(static_cast<float>(word & 0xffffffU) * 0x1p-23f));
  }
}

/// The largest error of sampled elements against double, in units of the bound for the types: half
/// an ulp of the result, and what float accumulation of k terms may lose. One block a sample, the
/// last element among them.
template <class In, class Out>
__global__ void worst_error(In const* a, In const* b, Out const* d, int m, int n, int k,
                            double* worst) {
  unsigned long long word = (blockIdx.x + 1) * 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 29U)) * 0xbf58476d1ce4e5b9ULL;
  long long const row = blockIdx.x == 0 ? m - 1 : static_cast<long long>(word % m);
  long long const column = blockIdx.x == 0 ? n - 1 : static_cast<long long>((word >> 32U) % n);
  double sum = 0;
  double magnitude = 0;
  for (int i = threadIdx.x; i < k; i += blockDim.x) {
    double const product = static_cast<double>(static_cast<float>(a[row * k + i])) *
                           static_cast<double>(static_cast<float>(b[column * k + i]));
    sum += product;
    magnitude += fabs(product);
  }
  __shared__ double sums[256];
  __shared__ double magnitudes[256];
  sums[threadIdx.x] = sum;
  magnitudes[threadIdx.x] = magnitude;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < blockDim.x; ++i) {
    sum += sums[i];
    magnitude += magnitudes[i];
  }
  // e4m3 is accumulated with about 14 bits on Hopper; float with 24; tf32 drops 13 bits of each.
  double const lost = sizeof(In) == 1 ? 0x1p-11 : sizeof(In) == 4 ? 0x1p-10 : 0x1p-20;
  double const bound = fabs(sum) * (sizeof(Out) == 2 ? 0x1p-8 : 0x1p-23) + magnitude * lost;
  double const error = fabs(static_cast<double>(static_cast<float>(d[row * n + column])) - sum);
  worst[blockIdx.x] = error == error ? error / bound : 1e30;
}

/// A problem's matrices in device memory: A row-major, B column-major, D row-major.
template <class In>
class Matrices {
 public:
  using Out = kernels::gemm::OutOf<In>;

  Matrices(int m, int n, int k) : m_(m), n_(n), k_(k) {
    check(cudaMalloc(&a_, size(m, k) * sizeof(In)), "cudaMalloc");
    check(cudaMalloc(&b_, size(n, k) * sizeof(In)), "cudaMalloc");
    check(cudaMalloc(&d_, size(m, n) * sizeof(Out)), "cudaMalloc");
    check(cudaMalloc(&worst_, samples * sizeof(double)), "cudaMalloc");
    fill_normal<<<1024, 256>>>(a_, size(m, k), 1);
    fill_normal<<<1024, 256>>>(b_, size(n, k), 2);
    check(cudaDeviceSynchronize(), "filling the matrices");
  }
  Matrices(Matrices const&) = delete;
  Matrices& operator=(Matrices const&) = delete;
  ~Matrices() {
    cudaFree(a_);
    cudaFree(b_);
    cudaFree(d_);
    cudaFree(worst_);
  }

  In const* a() const { return a_; }
  In const* b() const { return b_; }
  Out* d() const { return d_; }

  /// Runs `call` over poison and compares samples. @return the worst error over its bound
  template <class Call>
  double verify(Call const& call) const {
    check(cudaMemset(d_, 0xff, size(m_, n_) * sizeof(Out)), "cudaMemset");
    call();
    worst_error<<<samples, 256>>>(a_, b_, d_, m_, n_, k_, worst_);
    std::vector<double> errors(samples);
    check(cudaMemcpy(errors.data(), worst_, samples * sizeof(double), cudaMemcpyDeviceToHost),
          "verification");
    return *std::max_element(errors.begin(), errors.end());
  }

 private:
  static constexpr int samples = 4096;
  static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }

  int m_;
  int n_;
  int k_;
  In* a_ = nullptr;
  In* b_ = nullptr;
  Out* d_ = nullptr;
  double* worst_ = nullptr;
};

}  // namespace kohort::bench
