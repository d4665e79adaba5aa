// Whose member a wrapper copies to: of an object behind a pointer, of one whose base class casts
// itself to it, at an offset in it, in an array by a number that the wrapper gets.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=full
// EXPECT: noop-copy proven function=main line=@pointer variable=field->ptr count=4
// EXPECT: noop-copy proven function=main line=@smart variable=owned->ptr count=4
// EXPECT: noop-copy proven function=main line=@base variable=derived.ptr count=4
// EXPECT: noop-copy proven function=main line=@offset variable="table.ptr + 16" count=4
// EXPECT: noop-copy proven function=main line=@first variable=lists.parts[0].ptr count=4
// EXPECT: noop-copy proven function=main line=@second variable=lists.parts[1].ptr count=4
// EXPECT-ALL
// EXPECT-NO[twin]: noop-copy
#include "../Inputs/check.h"

#include <cuda_runtime.h>
#include <memory>
#include <vector>

static void send(float *to, const float *from, size_t n) {
  CHECK(cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyHostToDevice));
}

template <class Derived> struct Base {
  void update(const float *from) { static_cast<Derived &>(*this).upload(from); }
};

struct Field : Base<Field> {
  explicit Field(size_t n) : n(n) { CHECK(cudaMalloc(&ptr, n * sizeof(float))); }
  ~Field() { CHECK(cudaFree(ptr)); }
  Field(const Field &) = delete;
  void upload(const float *from) {
    CHECK(cudaMemcpy(ptr, from, n * sizeof(float), cudaMemcpyHostToDevice));
  }
  void uploadFrom(size_t first, const float *from) { send(ptr + first, from, n - first); }
  float at(size_t i) const {
    float value;
    CHECK(cudaMemcpy(&value, ptr + i, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  float *ptr;
  size_t n;
};

struct Part {
  float *ptr = nullptr;
};
struct Lists {
  Part parts[2];
  void clear(int k, size_t n) { CHECK(cudaMemset(parts[k].ptr, 0, n * sizeof(float))); }
};

int main() {
  const size_t n = 1024;
  std::vector<float> values[4];
  for (int i = 0; i < 4; ++i)
    for (size_t j = 0; j < n; ++j)
      values[i].push_back(float(j % 7) + float(i));
  Field *field = new Field(n);
  auto owned = std::make_unique<Field>(n);
  Field derived(n), table(n);
  Lists lists;
  for (Part &part : lists.parts)
    CHECK(cudaMalloc(&part.ptr, n * sizeof(float)));
  CHECK(cudaMemset(table.ptr, 0, 64));
  for (int round = 0; round < 5; ++round)
#ifdef FIXED
    if (round == 0)
#endif
    {
      field->upload(values[0].data());         // @pointer
      owned->upload(values[1].data());         // @smart
      derived.update(values[2].data());        // @base
      table.uploadFrom(16, values[3].data());  // @offset
      lists.clear(0, n);                       // @first
      lists.clear(1, n);                       // @second
    }
  float back;
  float sum = field->at(3) + owned->at(3) + derived.at(3) + table.at(3);
  for (Part &part : lists.parts) {
    CHECK(cudaMemcpy(&back, part.ptr, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(part.ptr));
    sum += back;
  }
  printf("%g\n", sum);
  delete field;
}
