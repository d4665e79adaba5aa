// json_every=1 across fork: the parent goes on rewriting its file, a child without a call writes
// none, neither over it nor beside it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: json_every=1
// TIMEOUT: 120
// EXPECT-EXIT: signal 9
// EXPECT-PROFILES: 1
// EXPECT-PROCESS: ended="running"
// EXPECT-SITE: line=@before calls=2
// EXPECT-SITE: line=@after calls=3
// EXPECT-STDOUT: child ended with 3
#include "../Inputs/check.h"
#include "Inputs/rewritten.h"

#include <csignal>
#include <sys/wait.h>

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaMemset(d_live, i, 512)); // @before
  waitForRewrites("profile.json", 1);
  int closing[2];
  if (pipe(closing) != 0)
    return 1;
  pid_t child = fork();
  if (child == 0) { // lives while the parent's file changes
    char byte;
    close(closing[1]);
    (void)!read(closing[0], &byte, 1);
    exit(3);
  }
  for (int i = 0; i < 3; ++i)
    CHECK(cudaMemset(d_live, i, 512)); // @after
  waitForRewrites("profile.json", 2); // the first may have begun before
  close(closing[1]);
  int status = 0;
  waitpid(child, &status, 0);
  printf("child ended with %d\n", WEXITSTATUS(status));
  fflush(stdout);
  waitForRewrites("profile.json", 1);
  raise(SIGKILL);
}
