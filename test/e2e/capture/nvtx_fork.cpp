// capture=nvtx@NAME across fork: a range that another thread opened is the parent's alone, since
// nobody is left in the child to close it.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread -ldl
// OPTIONS: capture=nvtx@solve
// EXPECT-PROFILES: 2
// EXPECT-SITE: line=@parent calls=1
// EXPECT-NO-SITE: line=@after calls>=1
// EXPECT-NO-SITE[child]: line=@childBefore calls>=1
// EXPECT-SITE[child]: line=@childInside calls=1
// EXPECT-NO-SITE[child]: line=@childAfter calls>=1
// EXPECT-STDOUT: child ended with 0
#include "../Inputs/check.h"

#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static int inChild() {
  void *d_child;
  CHECK(cudaMalloc(&d_child, 512));
  CHECK(cudaMemset(d_child, 0, 512)); // @childBefore
  nvtxRangePushA("solve");
  CHECK(cudaMemset(d_child, 0, 512)); // @childInside
  nvtxRangePop();
  CHECK(cudaMemset(d_child, 0, 512)); // @childAfter
  CHECK(cudaFree(d_child));
  return 0;
}

int main() {
  int opened[2], close_[2];
  char byte = 0;
  if (pipe(opened) != 0 || pipe(close_) != 0)
    return 1;
  std::thread other([&] {
    char its = 0;
    nvtxRangePushA("solve");
    (void)!write(opened[1], &its, 1);
    (void)!read(close_[0], &its, 1);
    nvtxRangePop();
  });
  (void)!read(opened[0], &byte, 1);
  pid_t child = fork();
  if (child == 0)
    _exit(inChild());
  int status = 0;
  waitpid(child, &status, 0);
  void *d_parent;
  CHECK(cudaMalloc(&d_parent, 512));
  CHECK(cudaMemset(d_parent, 0, 512)); // @parent
  (void)!write(close_[1], &byte, 1);
  other.join();
  CHECK(cudaMemset(d_parent, 0, 512)); // @after
  CHECK(cudaFree(d_parent));
  printf("child ended with %d\n", WEXITSTATUS(status));
}
