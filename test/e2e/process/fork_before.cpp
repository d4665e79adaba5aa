// Each process reports its own calls: the fork came first.
// SPDX-License-Identifier: Apache-2.0
// EXPECT-PROFILES: 2
// EXPECT: leak proven variable=d_parent line=@parent count=1 bytes=2048
// EXPECT-ALL
// EXPECT-NO: leak variable=d_child
// EXPECT[child]: leak proven variable=d_child line=@child count=1 bytes=1024
// EXPECT-NO[child]: leak variable=d_parent
// EXPECT-SITE[child]: kind=alloc line=@child calls=1
#include "../Inputs/check.h"

#include <sys/wait.h>
#include <unistd.h>

static int inChild() {
  void *d_child;
  CHECK(cudaMalloc(&d_child, 1024)); // @child
  return 0;
}

int main() {
  pid_t child = fork();
  if (child == 0)
    return inChild();
  int status = 0;
  waitpid(child, &status, 0);
  void *d_parent;
  CHECK(cudaMalloc(&d_parent, 2048)); // @parent
  printf("child ended with %d\n", WEXITSTATUS(status));
}
