// What the benchmarks know of their stand-in for libcuda.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_BENCH_FAKECUDA_H
#define GPUINSTR_TEST_BENCH_FAKECUDA_H

#include <cstdint>

namespace gpuinstr::bench {

/// The stream that it says is captured, while the function of this name has told it to.
constexpr uint64_t CapturedStream = 0x77;
constexpr const char *SetCapturing = "gpuinstr_bench_set_capturing";

/// Its functions: CUfunction handles from the first on. Each has three parameters that are
/// pointers, but for the one behind the last, which has one of so many bytes by value.
constexpr uint64_t FirstFunction = 0x1000, PointerFunctions = 16;
constexpr uint64_t StructFunction = FirstFunction + PointerFunctions, StructBytes = 600;

} // namespace gpuinstr::bench

#endif
