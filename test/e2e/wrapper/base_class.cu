// Functions of base classes make what members keep, called by functions and constructors of derived
// classes, some by their qualified names: the member has its object's name all the way.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=plain.table function=main line=@plain count=1
// EXPECT: leak proven variable=texture.table function=main line=@texture count=1
// EXPECT: leak proven variable=called.table function=main line=@called count=1
// EXPECT: leak proven variable=built.weights function=main line=@built count=1
// EXPECT-ALL
#include "../Inputs/check.h"

template <typename T> void allocate(T **made, size_t count) {
  CHECK(cudaMalloc(made, count * sizeof(T)));
}

struct Operator {
  virtual ~Operator() {}
  virtual void initTable() { allocate(&table, 64); }
  float *table = nullptr;
};

struct Plain : Operator {
  Plain() { initTable(); }
};

struct Texture : Operator {
  Texture() { initTable(); }
  void initTable() override { Operator::initTable(); }
};

struct Called : Operator {
  void prepare() { initTable(); }
  void initTable() override { Operator::initTable(); }
};

struct Layer {
  explicit Layer(size_t count) { allocate(&weights, count); }
  float *weights;
};

struct Dense : Layer {
  explicit Dense(size_t count) : Layer(count) {}
};

int main() {
  Plain plain;     // @plain
  Texture texture; // @texture
  Called called;
  called.prepare(); // @called
  Dense built(32);  // @built
#ifdef FIXED
  CHECK(cudaFree(plain.table));
  CHECK(cudaFree(texture.table));
  CHECK(cudaFree(called.table));
  CHECK(cudaFree(built.weights));
#endif
  puts("done");
}
