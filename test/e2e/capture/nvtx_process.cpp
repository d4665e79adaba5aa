// capture=nvtx@NAME: ranges of the process (start and end, on any thread) and registered names,
// which without a tool NVTX has no numbers and handles for.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread -ldl
// OPTIONS: capture=nvtx@solve
// TWIN: FIXED
// EXPECT-CLEAN
// EXPECT-SITE: line=@started calls=2
// EXPECT-SITE: line=@otherEnded calls=1
// EXPECT-NO-SITE[both]: line=@ended calls>=1
// EXPECT-SITE: line=@overlap calls=1
// EXPECT-SITE: line=@still calls=1
// EXPECT-SITE: line=@registered calls=1
// EXPECT-SITE: line=@scoped calls=1
// EXPECT-NO-SITE[both]: line=@after calls>=1
// EXPECT-NO-SITE[twin]: line=@started calls>=1
// EXPECT-NO-SITE[twin]: line=@overlap calls>=1
// EXPECT-NO-SITE[twin]: line=@registered calls>=1
// EXPECT-NO-SITE[twin]: line=@scoped calls>=1
#include "../Inputs/check.h"

#include <nvtx3/nvtx3.hpp>
#include <thread>

#ifdef FIXED
#define NAME "solv"
#else
#define NAME "solve"
#endif

struct fluid {
  static constexpr char const *name{"fluid"};
};
struct solve {
  static constexpr char const *message{NAME};
};

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  nvtxRangeId_t other = nvtxRangeStartA("other");
  nvtxRangeId_t ours = nvtxRangeStartA(NAME);
  for (int i = 0; i < 2; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @started
  nvtxRangeEnd(other);
  CHECK(cudaMemset(d_field, 0, 512)); // @otherEnded
  std::thread([&] { nvtxRangeEnd(ours); }).join();
  CHECK(cudaMemset(d_field, 0, 512)); // @ended
  nvtxRangeEnd(ours);                 // once too often

  nvtxRangeId_t first = nvtxRangeStartW(L"" NAME), second = nvtxRangeStartA(NAME);
  CHECK(cudaMemset(d_field, 0, 512)); // @overlap
  nvtxRangeEnd(first);
  CHECK(cudaMemset(d_field, 0, 512)); // @still
  nvtxRangeEnd(second);

  auto handle = nvtx3::start_range_in<fluid>(nvtx3::registered_string_in<fluid>::get<solve>());
  CHECK(cudaMemset(d_field, 0, 512)); // @registered
  nvtx3::end_range_in<fluid>(handle);
  {
    nvtx3::scoped_range_in<fluid> range{nvtx3::registered_string_in<fluid>::get<solve>()};
    CHECK(cudaMemset(d_field, 0, 512)); // @scoped
  }
  CHECK(cudaMemset(d_field, 0, 512)); // @after
  CHECK(cudaFree(d_field));
  puts("done");
}
