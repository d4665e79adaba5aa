// quick_exit: its handlers run, then what lives is listed, not leaked.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-EXIT: 6
// EXPECT-PROFILES: 1
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=quick_exit exit_code=6
// EXPECT-STDOUT: handler
// EXPECT-SITE: kind=alloc line=@live calls=1
#include "../Inputs/check.h"

static void handler() {
  puts("handler");
  fflush(stdout);
}

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  puts("working");
  fflush(stdout);
  at_quick_exit(handler);
  quick_exit(6);
}
