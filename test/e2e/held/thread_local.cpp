// A variable of the main thread's own lives as long as a global one: what it points to at the end is held. What a thread
// that has ended had there is lost.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// FLAGS: -pthread
// EXPECT: held-at-exit information memory=device variable=t_cache function=fill line=@cache count=1 bytes=4096
// EXPECT: held-at-exit information memory=stream variable=t_stream function=fill line=@stream count=1
// EXPECT: leak proven memory=device variable=t_cache function=fill line=@cache count=1 bytes=4096
// EXPECT: leak proven memory=stream variable=t_stream function=fill line=@stream count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <thread>

static thread_local void *t_cache;
static thread_local cudaStream_t t_stream;

__attribute__((noinline)) static void fill() {
  CHECK(cudaMalloc(&t_cache, 4096));   // @cache
  CHECK(cudaStreamCreate(&t_stream)); // @stream
}

int main() {
  fill();
  std::thread(fill).join();
  puts("filled");
}
