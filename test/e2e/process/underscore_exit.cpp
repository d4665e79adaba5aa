// _exit: what lives then was not leaked.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: fail_on=leak
// EXPECT-EXIT: 5
// EXPECT-PROFILES: 1
// EXPECT-CLEAN
// EXPECT-NO: leak
// EXPECT-PROCESS: ended=_exit exit_code=5
// EXPECT-REPORT: ive when killed
// EXPECT-SITE: kind=alloc line=@live calls=1
#include "../Inputs/check.h"

#include <unistd.h>

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @live
  puts("working");
  fflush(stdout);
  _exit(5);
}
