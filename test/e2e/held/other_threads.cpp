// Variables of threads of their own that still run when the process ends hold as global ones do: the threads of a pool
// keep their buffers as long as they live. What only a local variable of such a thread has is lost.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// FLAGS: -pthread
// EXPECT: held-at-exit information memory=device variable=t_cache function=serve line=@cache count=3 bytes=12288
// EXPECT: leak proven memory=device variable=local function=serve line=@local count=3 bytes=6144
// EXPECT: leak proven memory=device variable=t_cache function=leave line=@ended count=1 bytes=1024
// EXPECT-ALL
#include "../Inputs/check.h"

#include <atomic>
#include <chrono>
#include <thread>

static thread_local void *t_cache;
static std::atomic<int> serving{0};

static void serve() {
  void *local;
  CHECK(cudaMalloc(&t_cache, 4096)); // @cache
  CHECK(cudaMalloc(&local, 2048));   // @local
  for (++serving;;)
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

static void leave() {
  CHECK(cudaMalloc(&t_cache, 1024)); // @ended
}

int main() {
  std::thread(leave).join();
  for (int i = 0; i < 3; ++i)
    std::thread(serve).detach();
  while (serving < 3)
    std::this_thread::yield();
  puts("served");
}
