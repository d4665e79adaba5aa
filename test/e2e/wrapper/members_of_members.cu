// Objects in objects: memory that a member makes has the whole way as its name, `data.host.pinned`.
// Where nobody knows the outermost object, it has what is known; an operand whose address is given
// is not the object.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=data.host.pinned memory=pinned bytes=256 function=main line=@data
// EXPECT: leak proven variable=data.device.memory bytes=512 function=main line=@data
// EXPECT: leak proven variable=this->host.pinned bytes=1KiB function=main line=@shared
// EXPECT: leak proven variable=this->device.memory bytes=2KiB function=main line=@shared
// EXPECT: leak proven variable=given.device.memory bytes=4KiB function=main line=@given
// EXPECT: leak proven variable=this->chunk bytes=128 function=main line=@pool
// EXPECT-NO: leak variable=d_x*
// EXPECT-NO[twin]: * proven
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <memory>
#include <stdio.h>
#include <vector>

struct Pinned {
  void resize(size_t bytes) { CHECK(cudaMallocHost(&pinned, bytes)); }
  void release() { CHECK(cudaFreeHost(pinned)); }
  char *pinned = nullptr;
};

struct Memory {
  void alloc(size_t bytes) { CHECK(cudaMalloc(&memory, bytes)); }
  void release() { CHECK(cudaFree(memory)); }
  void *memory = nullptr;
};

struct Data {
  Data() = default;
  explicit Data(size_t bytes) {
    host.resize(bytes);
    device.alloc(2 * bytes);
  }
  Pinned host;
  Memory device;
};

static void setUp(Data &made, size_t bytes) { made.device.alloc(bytes); }

struct Pool {
  void get(char **out) {
    CHECK(cudaMalloc(&chunk, 128));
    *out = chunk;
  }
  char *chunk = nullptr;
};

int main() {
  Data data(256); // @data
  std::vector<std::shared_ptr<Data>> all;
  all.push_back(std::make_shared<Data>(1024)); // @shared
  Data given;
  setUp(given, 4096); // @given
  Pool pool;
  char *d_x;
  pool.get(&d_x); // @pool
  CHECK(cudaMemset(d_x, 0, 128));
#ifdef FIXED
  data.host.release();
  data.device.release();
  all[0]->host.release();
  all[0]->device.release();
  given.device.release();
  CHECK(cudaFree(pool.chunk));
#endif
  puts("done");
  return 0;
}
