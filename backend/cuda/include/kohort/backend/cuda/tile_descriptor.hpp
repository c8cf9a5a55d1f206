// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <kohort/backend/cuda/device_code.hpp>
#include <kohort/backend/cuda/error.hpp>
#include <kohort/backend/emulated/tile_copy.hpp>
#include <kohort/tile_map.hpp>

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

namespace kohort::Impl {

/// The driver's function, found through the runtime, so that nobody links libcuda.
inline auto encode_tiled_function() {
  using Function = decltype(&cuTensorMapEncodeTiled);
  static Function const function = [] {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    constexpr unsigned first_version = 12000;
    cudaError_t const error = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &address, first_version, cudaEnableDefault, &found);
    bool const is_there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
    return is_there ? reinterpret_cast<Function>(address) : nullptr;
  }();
  if (function == nullptr)
    throw TileMapError(
        "kohort: tile map: the CUDA driver has no tensor maps (12.0 and later have)");
  return function;
}

/// Signed and unsigned bytes and 16-bit integers are the same to a copy.
inline CUtensorMapDataType tensor_map_type(ElementKind kind) {
  switch (kind) {
    case ElementKind::bfloat16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ElementKind::float16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case ElementKind::int16:
    case ElementKind::uint16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case ElementKind::float32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ElementKind::int32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case ElementKind::uint32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case ElementKind::float64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case ElementKind::int64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case ElementKind::uint64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

template <>
struct TileDescriptor<Cuda> {
  struct NoTile {
    static NoTile of(TileRequest const&, ElementKind) { return {}; }
  };
  using Plain = std::conditional_t<cuda_compiles_emulated, EmulatedTile, NoTile>;

  struct type {
    CUtensorMap map;  ///< for the copy engine
    Plain plain;      ///< for ordinary loads and stores
  };

  static type make(TileRequest const& request, ElementKind kind) {
    cuuint64_t extents[5];
    cuuint64_t stride_bytes[5];
    cuuint32_t box[5];
    cuuint32_t element_strides[5];
    for (int d = 0; d < request.rank; ++d) {
      auto const at = static_cast<std::size_t>(d);
      extents[d] = static_cast<cuuint64_t>(request.extents[at]);
      if (d > 0)
        stride_bytes[d - 1] = static_cast<cuuint64_t>(request.strides[at] * request.element_bytes);
      box[d] = static_cast<cuuint32_t>(request.box[at]);
      element_strides[d] = 1;
    }
    box[request.rank - 1] /= static_cast<cuuint32_t>(request.split);
    type descriptor;
    CUresult const result = encode_tiled_function()(
        &descriptor.map, tensor_map_type(kind), static_cast<cuuint32_t>(request.rank), request.data,
        extents, stride_bytes, box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
        static_cast<CUtensorMapSwizzle>(request.swizzle), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    descriptor.plain = Plain::of(request, kind);
    if (result != CUDA_SUCCESS && !(cuda_compiles_emulated && has_no_copy_engine()))
      throw TileMapError("kohort: tile map: the CUDA driver refused it with error " +
                         std::to_string(static_cast<int>(result)));
    return descriptor;
  }

 private:
  /// Before compute capability 9.0.
  static bool has_no_copy_engine() {
    int device = 0, major = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ==
               cudaSuccess &&
           major < 9;
  }
};

}  // namespace kohort::Impl
