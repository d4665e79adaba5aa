// Compile-time checks of rows of CudaApi.def; used by what gen-table.py writes.
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <tuple>
#include <type_traits>

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

template <class F> struct Signature;
template <class R, class... A> struct Signature<R (*)(A...)> {
  using Result = R;
  static constexpr int Count = sizeof...(A);
  template <int N> using Param = std::tuple_element_t<N, std::tuple<A...>>;
};

template <class T>
constexpr bool Word =
    std::is_pointer_v<T> || std::is_same_v<T, unsigned long long> || std::is_same_v<T, CUdeviceptr>;
template <class T> constexpr bool Size = std::is_integral_v<T>;
template <class T> constexpr bool SizeOrAddress = Size<T> || Word<T>;
template <class T>
constexpr bool StreamType = std::is_same_v<T, cudaStream_t> || std::is_same_v<T, CUstream>;
template <class T> constexpr bool Struct = std::is_class_v<T>;

// By value structs stand for their address (ARGS, PARAMS, DST) or their bits (KIND).
template <class T> constexpr bool fits_DST = Word<T> || Struct<T>;
/// Of a vendor library: a pointer, or a plan's number.
template <class T> constexpr bool fits_HANDLE = std::is_pointer_v<T> || std::is_same_v<T, int>;
template <class T> constexpr bool fits_SRC = Word<T>;
template <class T> constexpr bool fits_BYTES = Size<T>;
template <class T> constexpr bool fits_STREAM = StreamType<T>;
template <class T>
constexpr bool fits_KIND = Size<T> || std::is_enum_v<T> || (Struct<T> && sizeof(T) <= 8);
template <class T> constexpr bool fits_HEIGHT = Size<T>;
template <class T> constexpr bool fits_DPITCH = SizeOrAddress<T>;
template <class T> constexpr bool fits_SPITCH = Size<T>;
template <class T> constexpr bool fits_DEPTH = Size<T>;
/// Of a copy: an offset into an array, or the destination of a node.
template <class T>
constexpr bool fits_ARGS = std::is_pointer_v<T> || Struct<T> || std::is_same_v<T, size_t>;
template <class T> constexpr bool fits_PARAMS = std::is_pointer_v<T> || Struct<T>;
template <class T> constexpr bool fits_FUNC = Word<T>;
template <class T> constexpr bool fits_SHARED = Size<T>;
template <class T> constexpr bool fits_GRID = std::is_same_v<T, dim3>;
template <class T> constexpr bool fits_BLOCK = std::is_same_v<T, dim3>;
template <class T> constexpr bool fits_GRID3 = std::is_same_v<T, unsigned>;
template <class T> constexpr bool fits_BLOCK3 = std::is_same_v<T, unsigned>;

/// A row for another CUDA's parameter list is not for these headers.
template <class F> constexpr bool applies(int Count) {
  return Count < 0 || Count == Signature<F>::Count;
}
struct Nothing {};
template <class F, int N, bool Applies> struct ParamOr { using Type = Nothing; };
template <class F, int N> struct ParamOr<F, N, true> {
  using Type = typename Signature<F>::template Param<N>;
};

template <class F, int... Counts> constexpr bool oneApplies = (applies<F>(Counts) || ...);

#define ROW(name, count, result)                                                                   \
  static_assert(std::is_same_v<Signature<decltype(&name)>::Result, result>, #name " result");
#define STATUS_ROW(name)                                                                           \
  static_assert(std::is_enum_v<Signature<decltype(&name)>::Result>, #name " result");
#define OPERAND(name, count, slot, n)                                                              \
  static_assert(!applies<decltype(&name)>(count) || n < Signature<decltype(&name)>::Count,         \
                #name " has no parameter " #n);                                                    \
  static_assert(                                                                                   \
      !applies<decltype(&name)>(count) ||                                                          \
          fits_##slot<                                                                             \
              typename ParamOr<decltype(&name), n, applies<decltype(&name)>(count)>::Type>,        \
      #name " parameter " #n " is no " #slot);
#define ONE_OF(name, ...)                                                                          \
  static_assert(oneApplies<decltype(&name), __VA_ARGS__>, #name ": no row has its parameters");
