// The first initialiser of all allocates already.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=early function=*early line=@early via=@alloc via-function=*Early* count=1 bytes=1024
// EXPECT-ALL
#include "../Inputs/check.h"

struct Early {
  Early() {
    CHECK(cudaMalloc(&table, 1024)); // @alloc
  }
  void *table;
};

__attribute__((init_priority(101))) static Early early; // @early

int main() {
#ifdef FIXED
  CHECK(cudaFree(early.table));
#endif
  early.table = nullptr;
  puts("done");
}
