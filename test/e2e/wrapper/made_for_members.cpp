// Memory that wrappers make for members of an object, where a parameter says or by their results:
// it has the name that it has where the object is used, and a row for each way there.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=op.weights bytes=4096 function=main line=@init
// EXPECT: leak proven variable=op.shift bytes=256 function=main line=@init
// EXPECT: leak proven variable=op.bias bytes=1024 function=main line=@init
// EXPECT: leak proven variable=op.scale bytes=512 function=main line=@init
// EXPECT: leak proven variable=op.cache bytes=2048 function=main line=@run
// EXPECT: leak proven variable=field.data bytes=8192 function=main line=@field
// EXPECT: leak proven variable=engine->block->host memory=pinned function=Engine::Engine line=@block
// EXPECT: leak proven variable=engine->block->device bytes=16384 function=Engine::Engine line=@block
// EXPECT-REPORT: via made_for_members.cpp:{@weights} Operator::init*
// EXPECT-REPORT: via made_for_members.cpp:{@shift} Operator::init*
// EXPECT-REPORT: via made_for_members.cpp:{@bias} Operator::init*
// EXPECT-REPORT: via made_for_members.cpp:{@scale} Operator::init*
#include "../Inputs/check.h"

#include <cstddef>
#include <cuda_runtime.h>

template <class T> inline void allocate(T **out, size_t n) { CHECK(cudaMalloc(out, n * sizeof(T))); }

template <class T> inline void allocateZeros(T **out, size_t n) {
  allocate<T>(out, n);
  CHECK(cudaMemset(*out, 0, n * sizeof(T)));
}

inline void *make(size_t bytes) {
  void *made;
  CHECK(cudaMalloc(&made, bytes));
  CHECK(cudaMemset(made, 1, bytes));
  return made;
}

class Operator {
public:
  void init() {
    allocate<float>(&weights, 1024); // @weights
    allocate<float>(&shift, 64); // @shift
    allocateZeros<float>(&bias, 256); // @bias
    allocateZeros<double>(&scale, 64); // @scale
  }
  void run() {
    makeCache(); // @own
    CHECK(cudaMemset(weights, 1, 4096));
    CHECK(cudaMemset(cache, 1, 2048));
  }
  void close() {
    CHECK(cudaFree(weights));
    CHECK(cudaFree(shift));
    CHECK(cudaFree(bias));
    CHECK(cudaFree(scale));
    CHECK(cudaFree(cache));
  }

private:
  void makeCache() { allocate(&cache, 2048); }
  float *weights = nullptr, *shift = nullptr, *bias = nullptr;
  double *scale = nullptr;
  char *cache = nullptr;
};

class Field {
public:
  explicit Field(size_t bytes) { create(bytes); }
  void close() { CHECK(cudaFree(data)); }

private:
  void create(size_t bytes) { data = make(bytes); }
  void *data = nullptr;
};

/// Both sides of a buffer, in a function of the constructor's.
class Block {
public:
  explicit Block(size_t bytes) { create(bytes); }
  ~Block() {
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
  }

private:
  void create(size_t bytes) {
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
  }
  void *host = nullptr, *device = nullptr;
};

class Engine {
public:
  Engine() {
    block = new Block(16384); // @block
    other = new Block(64);
  }
  void close() { delete block; }
  ~Engine() { delete other; }

private:
  Block *block, *other;
};

int main() {
  Engine *engine = new Engine;
  Operator op;
  op.init(); // @init
  op.run(); // @run
  Field field(8192); // @field
#ifdef FIXED
  op.close();
  field.close();
  engine->close();
#endif
  delete engine;
  puts("done");
}
