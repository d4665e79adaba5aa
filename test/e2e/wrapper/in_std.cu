// A program's own functions in namespace std are the program's: what its file opens is no library's.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2 nvcc
// EXPECT: leak proven function=std::hash<Key>::operator() line=@hash via-function=std::owned::make caller=@first count=1
// EXPECT: leak proven function=std::hash<Key>::operator() line=@hash via-function=std::owned::make caller=@second count=1
// EXPECT: leak proven function=std::hash<Key>::operator() line=@alone caller=@first count=1
// EXPECT: leak proven function=std::hash<Key>::operator() line=@alone caller=@second count=1
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <functional>

struct Key {
  int value;
  bool operator==(const Key &other) const { return value == other.value; }
};

namespace std {
struct owned {
  static void *make() {
    void *memory;
    CHECK(cudaMalloc(&memory, 4096));
    return memory;
  }
};
template <> struct hash<Key> {
  size_t operator()(const Key &key) const {
    void *memory;
    CHECK(cudaMalloc(&memory, 256)); // @alone
    owned::make();                   // @hash
    return size_t(key.value);
  }
};
} // namespace std

int main() {
  std::unordered_map<Key, int> all;
  std::hash<Key> hash;
  size_t sum = hash({1}); // @first
  sum += hash({2});       // @second
  printf("%zu\n", sum);
}
