// What enter and leave cost: ns of one pair, through the shared library as a program meets it.
// SPDX-License-Identifier: Apache-2.0
#include "BenchCalls.h"
#include <benchmark/benchmark.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define GPUINSTR_BENCH_NVTX 1
#endif

using namespace gpuinstr::bench;

namespace {

const gpuinstr_table &table() {
  static const gpuinstr_table *t = connect();
  return *t;
}

void plainSite(benchmark::State &state) {
  static gpuinstr_site site = makeSite(GPUINSTR_OP_SYNC_DEVICE, 1, GPUINSTR_SITE_CUDA_ERROR, 0);
  gpuinstr_frame frame = {};
  for (auto _ : state) {
    frame.site = &site;
    table().enter(&frame);
    table().leave(&frame, 0);
  }
}
BENCHMARK(plainSite);

/// k<<<>>>() whose stub the compiler has inlined.
void launch(benchmark::State &state) {
  static gpuinstr_site outer = makeSite(GPUINSTR_OP_LAUNCH, 2, 0, 0);
  static gpuinstr_site inner =
      makeSite(GPUINSTR_OP_LAUNCH, 3, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER,
               (1u << GPUINSTR_SLOT_FUNC) | (1u << GPUINSTR_SLOT_STREAM));
  gpuinstr_frame user = {}, stub = {};
  for (auto _ : state) {
    user.site = &outer;
    stub.site = &inner;
    stub.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(&outer);
    stub.slot[GPUINSTR_SLOT_STREAM] = 0;
    table().enter_launch(&user, &stub);
    table().leave_launch(&user, &stub, 0);
  }
}
BENCHMARK(launch);

void copyInsideOneAllocation(benchmark::State &state) {
  alignas(64) static char source[4096];
  static gpuinstr_site alloc =
      makeSite(GPUINSTR_OP_ALLOC, 4, GPUINSTR_SITE_CUDA_ERROR,
               (1u << GPUINSTR_SLOT_DST) | (1u << GPUINSTR_SLOT_BYTES), GPUINSTR_RES_DEVICE);
  static gpuinstr_site copy =
      makeSite(GPUINSTR_OP_COPY, 5, GPUINSTR_SITE_CUDA_ERROR,
               (1u << GPUINSTR_SLOT_DST) | (1u << GPUINSTR_SLOT_SRC) | (1u << GPUINSTR_SLOT_BYTES) |
                   (1u << GPUINSTR_SLOT_KIND));
  gpuinstr_frame frame = {};
  uint64_t pointer = 0x7f0000000000;
  frame.site = &alloc;
  frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&pointer);
  frame.slot[GPUINSTR_SLOT_BYTES] = 1 << 20;
  table().enter(&frame);
  table().leave(&frame, 0);
  for (auto _ : state) {
    frame.site = &copy;
    frame.slot[GPUINSTR_SLOT_DST] = pointer + 64;
    frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(source); // pageable
    frame.slot[GPUINSTR_SLOT_BYTES] = sizeof source;
    table().enter(&frame);
    table().leave(&frame, 0);
  }
}
BENCHMARK(copyInsideOneAllocation);

void allocationAndFree(benchmark::State &state) {
  static gpuinstr_site alloc =
      makeSite(GPUINSTR_OP_ALLOC, 6, GPUINSTR_SITE_CUDA_ERROR,
               (1u << GPUINSTR_SLOT_DST) | (1u << GPUINSTR_SLOT_BYTES), GPUINSTR_RES_DEVICE);
  static gpuinstr_site free = makeSite(GPUINSTR_OP_FREE, 7, GPUINSTR_SITE_CUDA_ERROR,
                                       1u << GPUINSTR_SLOT_DST, GPUINSTR_RES_DEVICE);
  gpuinstr_frame frame = {};
  uint64_t pointer = 0x7f1000000000;
  for (auto _ : state) {
    frame.site = &alloc;
    frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&pointer);
    frame.slot[GPUINSTR_SLOT_BYTES] = 4096;
    table().enter(&frame);
    table().leave(&frame, 0);
    frame.site = &free;
    frame.slot[GPUINSTR_SLOT_DST] = pointer;
    table().enter(&frame);
    table().leave(&frame, 0);
  }
}
BENCHMARK(allocationAndFree);

/// A range of the public header: named by the program, shown by tools that read NVTX.
void ownRange(benchmark::State &state) {
  const gpuinstr_table &own = table();
  for (auto _ : state) {
    own.push_range("step");
    own.pop_range();
  }
}
BENCHMARK(ownRange);

#if GPUINSTR_BENCH_NVTX
/// The same by NVTX itself, in a program without the plugin. A CUDA call's own range costs less
/// than this while no tool listens: it is not even tried (NvtxActive).
void nvtxRange(benchmark::State &state) {
  for (auto _ : state) {
    nvtxRangePushA("step");
    benchmark::ClobberMemory();
    nvtxRangePop();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(nvtxRange);

/// And with the calls that the plugin puts behind both.
void nvtxRangeNoted(benchmark::State &state) {
  const gpuinstr_table &own = table();
  for (auto _ : state) {
    nvtxRangePushA("step");
    benchmark::DoNotOptimize(own.nvtx(GPUINSTR_NVTX_PUSH_A, "step", 0));
    nvtxRangePop();
    benchmark::DoNotOptimize(own.nvtx(GPUINSTR_NVTX_POP, nullptr, 0));
  }
}
BENCHMARK(nvtxRangeNoted);
#endif

/// What cannot be had for less: two stamps.
void twoStamps(benchmark::State &state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(__builtin_ia32_rdtsc());
    benchmark::DoNotOptimize(__builtin_ia32_rdtsc());
  }
}
BENCHMARK(twoStamps);

} // namespace

BENCHMARK_MAIN();
