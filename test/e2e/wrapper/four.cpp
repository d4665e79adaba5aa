// Four wrappers inside each other are seen through; of five the outermost keeps the row.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven variable=kept function=main line=@kept via=@alloc bytes=1024
// EXPECT-ALL
// EXPECT-SITE[both]: kind=copy line=@four via=@copy calls=2
// EXPECT-SITE[both]: kind=copy line=@fifth via=@copy calls=1
// EXPECT-NO-SITE[both]: line=@five calls>=1
// EXPECT-REPORT: via four.cpp:* Model::Model, four.cpp:* Layer::Layer, *
#include "../Inputs/check.h"

#include <string.h>

struct Memory {
  void *at = nullptr;
  explicit Memory(size_t bytes) { CHECK(cudaMalloc(&at, bytes)); } // @alloc
  ~Memory() { CHECK(cudaFree(at)); }
  void write(const void *from, size_t bytes) {
    CHECK(cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice)); // @copy
  }
};
struct Tensor {
  Memory memory;
  explicit Tensor(size_t bytes) : memory(bytes) {}
  void write(const void *from, size_t bytes) { memory.write(from, bytes); }
};
struct Layer {
  Tensor weights;
  explicit Layer(size_t bytes) : weights(bytes) {}
  void write(const void *from, size_t bytes) { weights.write(from, bytes); }
};
struct Model {
  Layer layer;
  explicit Model(size_t bytes) : layer(bytes) {}
  void write(const void *from, size_t bytes) { layer.write(from, bytes); }
};
struct Trainer {
  Model &model;
  void write(const void *from, size_t bytes) { model.write(from, bytes); } // @fifth
};

int main() {
  char host[1024];
  auto *kept = new Model(sizeof host); // @kept
  for (int i = 0; i < 2; ++i) {
    memset(host, i + 1, sizeof host);
    kept->write(host, sizeof host); // @four
  }
  Trainer trainer{*kept};
  memset(host, 9, sizeof host);
  trainer.write(host, sizeof host); // @five
#ifdef FIXED
  delete kept;
#endif
  puts("done");
}
