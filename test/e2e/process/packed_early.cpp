// A library's constructor calls a function of the program whose own constructors have not run yet: its
// packed sites are there by then.
// SPDX-License-Identifier: Apache-2.0
// PLUGIN: -fplugin-arg-gpuinstr-compact=1
// FLAGS: -rdynamic
// SHARED: libcalls.so Inputs/calls_program.cpp
// OPTIONS: fail_on=leak
// EXPECT-EXIT: 23
// EXPECT-PLAIN-EXIT: 0
// EXPECT: leak proven memory=device variable=d_early line=@early count=1 bytes=64
// EXPECT: leak proven memory=device variable=d_own line=@own count=1 bytes=128
// EXPECT-ALL
// EXPECT-PROCESS: ended=exit exit_code=0
#include "../Inputs/check.h"

int calledEarly();

extern "C" void ofTheProgram() {
  void *d_early;
  CHECK(cudaMalloc(&d_early, 64)); // @early
}

int main() {
  void *d_own;
  CHECK(cudaMalloc(&d_own, 128)); // @own
  printf("early %d\n", calledEarly());
}
