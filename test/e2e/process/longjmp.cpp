// longjmp out of a function with CUDA calls; what it had allocated is lost.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_row function=parse line=@alloc count=3 bytes=768
// EXPECT-ALL
// EXPECT-SITE[both]: kind=set function=main line=@after calls=1
#include "../Inputs/check.h"

#include <csetjmp>

static jmp_buf *recover; // not the buffer: saved registers may hold addresses
static void *volatile lastRow; // the compiler may not keep an address that was cleared

__attribute__((noinline)) static void parse(int line) {
  void *d_row;
  CHECK(cudaMalloc(&d_row, 256)); // @alloc
  lastRow = d_row;
  if (line % 2)
    longjmp(*recover, 1);
  CHECK(cudaFree(d_row));
}

int main() {
  void *d_table;
  CHECK(cudaMalloc(&d_table, 1024));
  jmp_buf buffer;
  recover = &buffer;
  for (volatile int line = 0; line < 6; line = line + 1) {
    if (setjmp(buffer) == 0) {
      parse(line);
      continue;
    }
    printf("line %d is bad\n", int(line));
#ifdef FIXED
    CHECK(cudaFree(lastRow));
#endif
  }
  lastRow = nullptr;
  CHECK(cudaMemset(d_table, 0, 1024)); // @after
  CHECK(cudaFree(d_table));
}
