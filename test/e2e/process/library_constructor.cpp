// A shared library allocates in its constructor, before anything of the program has run.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O0 clang-O2
// SHARED: libearly.so Inputs/early.cpp
// OPTIONS: fail_on=leak
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven memory=device variable=table line=@Inputs/early.cpp:table via=@Inputs/early.cpp:alloc via-function=Table::Table count=1 bytes=4096
// EXPECT: leak proven memory=device variable=d_own line=@own count=1 bytes=64
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit exit_code=0
#include "../Inputs/check.h"

int tableState();

int main() {
  void *d_own;
  CHECK(cudaMalloc(&d_own, 64)); // @own
  printf("table %d\n", tableState());
}
