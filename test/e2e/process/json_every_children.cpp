// json_every=1 in a child that has calls of its own: it rewrites a file beside the parent's, which
// it inherited, and SIGKILL leaves its last state there. The parent's file holds nothing of it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2
// OPTIONS: json_every=1
// TIMEOUT: 120
// EXPECT-PROFILES: 2
// EXPECT-PROCESS: ended="exit"
// EXPECT-SITE: line=@parent calls=2
// EXPECT-SITE: line=@later calls=4
// EXPECT-NO-SITE: line=@child calls>=1
// EXPECT: leak proven variable=d_live line=@alloc count=1
// EXPECT-PROCESS[child]: ended="running"
// EXPECT-SITE[child]: line=@child calls=3
// EXPECT-NO-SITE[child]: line=@parent calls>=1
// EXPECT-NO[child]: leak
// EXPECT-STDOUT: child ended by signal 9
#include "../Inputs/check.h"
#include "Inputs/rewritten.h"

#include <csignal>
#include <string>
#include <sys/wait.h>

int main() {
  void *d_live;
  CHECK(cudaMalloc(&d_live, 1 << 20)); // @alloc
  for (int i = 0; i < 2; ++i)
    CHECK(cudaMemset(d_live, i, 512)); // @parent
  waitForRewrites("profile.json", 1);
  pid_t child = fork();
  if (child == 0) {
    int failed = 0; // CUDA does not survive fork
    for (int i = 0; i < 3; ++i)
      failed += cudaMemset(d_live, i, 512) != cudaSuccess; // @child
    std::string own = "profile.json." + std::to_string(getpid());
    waitForRewrites(own.c_str(), 2);
    raise(failed ? SIGKILL : SIGTERM);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child ended by signal %d\n", WTERMSIG(status));
  for (int i = 0; i < 4; ++i)
    CHECK(cudaMemset(d_live, i, 512)); // @later
}
