// Keys are wiped before their memory is freed: nobody reads the zeros, and that is their use. So it is advice, of memory
// that was in use. What is cleared and freed without a use is dead.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// EXPECT: dead-copy advice line=@wipe count=6 fix=drop*it,*unless*it*wipes*a*secret
// EXPECT: dead-copy likely line=@idle count=6
// EXPECT-NO: dead-copy likely line=@wipe
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12, Words = 1 << 10;

__host__ __device__ inline void encryptAt(unsigned i, const unsigned *key, unsigned *text) { text[i] ^= key[i % Words]; }
__global__ void encrypt(const unsigned *key, unsigned *text) { encryptAt(globalThread(), key, text); }
SIMULATED(encrypt, encryptAt)

struct Key {
  unsigned *words;
  explicit Key(const std::vector<unsigned> &host) {
    CHECK(cudaMalloc(&words, 4 * Words));
    CHECK(cudaMemcpy(words, host.data(), 4 * Words, cudaMemcpyHostToDevice));
  }
  ~Key() {
    CHECK(cudaMemset(words, 0, 4 * Words));
    CHECK(cudaFree(words));
  }
};

int main() {
  std::vector<unsigned> text(N, 7), key(Words);
  unsigned *d_text, seed = 1;
  CHECK(cudaMalloc(&d_text, 4 * N));
  CHECK(cudaMemcpy(d_text, text.data(), 4 * N, cudaMemcpyHostToDevice));
  for (int i = 0; i < 6; ++i) {
    for (unsigned &word : key)
      word = seed = seed * 1664525 + 1013904223;
    Key d_key(key);
    encrypt<<<N / 256, 256>>>(d_key.words, d_text);
    CHECK(cudaGetLastError());
    unsigned *d_idle;
    CHECK(cudaMalloc(&d_idle, 4 * N));
    CHECK(cudaMemset(d_idle, 0, 4 * N)); // @idle
    CHECK(cudaFree(d_idle));
  } // @wipe
  CHECK(cudaMemcpy(text.data(), d_text, 4 * N, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_text));
  printf("%d\n", int(text.size()));
}
