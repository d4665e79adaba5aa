// The parent used CUDA before the fork; the child makes no call and reports nothing.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-PROFILES: 1
// EXPECT: leak proven variable=d_parent line=@leak count=1
// EXPECT-ALL
// EXPECT-STDOUT: child ended with 3
#include "../Inputs/check.h"

#include <sys/wait.h>
#include <unistd.h>

int main() {
  void *d_parent;
  CHECK(cudaMalloc(&d_parent, 1024)); // @leak
  pid_t child = fork();
  if (child == 0)
    exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  printf("child ended with %d\n", WEXITSTATUS(status));
}
