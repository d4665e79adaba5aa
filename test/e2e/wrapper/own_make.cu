// A program has make functions of its own, as std::make_unique is one: its users' lines get the
// rows, in their words. One that has something else to do keeps its line.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// TWIN: FIXED
// EXPECT: leak proven variable=made function=main line=@made via-function=Buffer::Buffer count=1
// EXPECT: leak proven variable=kept function=main line=@kept count=1
// EXPECT: leak proven variable=raw function=main line=@raw count=1
// EXPECT: leak proven variable=shared function=main line=@shared count=1
// EXPECT: leak proven function=*counted* line=@counted count=1
// EXPECT-ALL
#include "../Inputs/check.h"

#include <memory>
#include <utility>

struct Buffer {
  Buffer(size_t count, bool zero) {
    CHECK(cudaMalloc(&data, count * sizeof(float)));
    if (zero)
      CHECK(cudaMemset(data, 0, count * sizeof(float)));
  }
  ~Buffer() {
#ifdef FIXED
    CHECK(cudaFree(data));
#endif
  }
  float *data;
};

template <class T> using Ptr = std::shared_ptr<T>;

template <class T, class... Args> Ptr<T> New(Args &&...args) {
  return Ptr<T>(new T(std::forward<Args>(args)...));
}
template <class T, class... Args> std::unique_ptr<T> makeUnique(Args &&...args) {
  return std::unique_ptr<T>(new T(std::forward<Args>(args)...));
}
template <class T, class... Args> T *makeRaw(Args &&...args) {
  return new T(std::forward<Args>(args)...);
}
template <class T, class... Args> std::shared_ptr<T> create(Args &&...args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}

static int numMade = 0;
template <class T, class... Args> Ptr<T> counted(Args &&...args) {
  ++numMade;
  return Ptr<T>(new T(std::forward<Args>(args)...)); // @counted
}

int main() {
  Ptr<Buffer> made = New<Buffer>(64, false);   // @made
  auto kept = makeUnique<Buffer>(128, false);  // @kept
  Buffer *raw = makeRaw<Buffer>(256, false);   // @raw
  auto shared = create<Buffer>(512, false);    // @shared
  auto other = counted<Buffer>(1024, false);
  printf("%d\n", numMade);
  delete raw;
}
