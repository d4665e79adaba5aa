// json_every=1 and an ordinary end: the last state is the whole run's, with its leaks.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: json_every=1
// EXPECT-PROFILES: 1
// EXPECT-PROCESS: ended="exit"
// EXPECT: leak proven variable=d_live line=@alloc count=1
// EXPECT-SITE: line=@set calls=4
#include "../Inputs/check.h"

#include <chrono>
#include <thread>

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @alloc
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaMemset(d_live, i, 512)); // @set
    if (i == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  puts("done");
}
