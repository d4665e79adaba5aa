// Eight threads allocate, copy and free; one block of one thread stays.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_block function=worker line=@alloc count=1 bytes=4096
// EXPECT-ALL
// EXPECT-SITE[both]: kind=alloc line=@alloc calls=1600 failed=0 bytes=6553600
// EXPECT-SITE[both]: kind=copy line=@copy calls=1600 bytes=6553600
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <thread>
#include <vector>

static void worker(int id) {
  std::vector<char> host(4096, char(id));
  for (int i = 0; i < 200; ++i) {
    host[i] = 'x'; // or it is the same upload again and again
    char *d_block;
    CHECK(cudaMalloc(&d_block, host.size())); // @alloc
    CHECK(cudaMemcpy(d_block, host.data(), host.size(), cudaMemcpyHostToDevice)); // @copy
#ifndef FIXED
    if (id == 3 && i == 100)
      continue;
#endif
    CHECK(cudaFree(d_block));
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id)
    threads.emplace_back(worker, id);
  for (std::thread &t : threads)
    t.join();
  puts("joined");
}
