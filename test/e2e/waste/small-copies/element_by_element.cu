// A class of arrays hands out references, each use of which is a copy of one element: a loop reads
// one array and writes the other so. Fixed, it works on the host. Silent: a few elements alike, and
// rounds with kernels between.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: small-copies advice function=chain line=@write count>=99 message=*nothing*but*copies*the*other*way*
// EXPECT: small-copies advice function=chain line=@read count=99
// EXPECT-NO: small-copies function=few
// EXPECT-NO: small-copies function=rounds
// EXPECT-NO[twin]: small-copies
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 100;

template <typename T> class Array {
public:
  class Reference {
  public:
    explicit Reference(T *place) : place(place) {}
    Reference &operator=(T value) {
      CHECK(cudaMemcpy(place, &value, sizeof(T), cudaMemcpyHostToDevice));
      return *this;
    }
    operator T() const {
      T value;
      CHECK(cudaMemcpy(&value, place, sizeof(T), cudaMemcpyDeviceToHost));
      return value;
    }

  private:
    T *place;
  };
  explicit Array(const std::vector<T> &from) : size(from.size()) {
    CHECK(cudaMalloc(&first, size * sizeof(T)));
    CHECK(cudaMemcpy(first, from.data(), size * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { CHECK(cudaFree(first)); }
  Reference operator[](size_t i) { return Reference(first + i); }
  std::vector<T> host() const {
    std::vector<T> all(size);
    CHECK(cudaMemcpy(all.data(), first, size * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }
  void assign(const std::vector<T> &from) {
    CHECK(cudaMemcpy(first, from.data(), size * sizeof(T), cudaMemcpyHostToDevice));
  }
  T *data() { return first; }

private:
  T *first;
  size_t size;
};

__host__ __device__ inline void addAt(unsigned i, float *to, const float *from) {
  if (i < N)
    to[i] += from[i];
}
__global__ void add(float *to, const float *from) { addAt(globalThread(), to, from); }
SIMULATED(add, addAt)

static void chain(Array<float> &to, Array<float> &from) {
#ifdef FIXED
  std::vector<float> all = from.host(), sums = to.host();
  for (int i = 1; i < N; ++i)
    sums[i] = all[i] * 0.5f + i;
  to.assign(sums);
#else
  for (int i = 1; i < N; ++i) {
    float next = from[i];    // @read
    to[i] = next * 0.5f + i; // @write
  }
#endif
}

/// What some programs begin with.
static void few(Array<float> &to, Array<float> &from) {
  for (int i = 0; i < 12; ++i) {
    float next = from[i];
    to[i] = next + 1;
  }
}

static void rounds(Array<float> &to, Array<float> &from) {
  for (int i = 1; i < 50; ++i) {
    add<<<1, 128>>>(to.data(), from.data());
    CHECK(cudaGetLastError());
    float next = to[i];
    from[0] = next * 0.25f;
  }
}

int main() {
  Array<float> to(noise(N)), from(noise(N, 7));
  chain(to, from);
  add<<<1, 128>>>(to.data(), from.data());
  CHECK(cudaGetLastError());
  few(to, from);
  rounds(to, from);
  printf("%08x\n", checksum(to.host()));
}
