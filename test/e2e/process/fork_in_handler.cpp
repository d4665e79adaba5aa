// A handler of signals forks, as those that start a debugger do, while its thread is within the runtime's own work and
// holds locks of it: no hang. The children make no call and have no report.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// FLAGS: -rdynamic
// OPTIONS: audit=full
// EXPECT-PROFILES: 1
// EXPECT-STDOUT: forked
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

static int left; ///< allocations that a signal comes before
static bool mayFork;

extern "C" void *__libc_malloc(size_t bytes);
/// The runtime's, too.
extern "C" void *malloc(size_t bytes) {
  if (mayFork && left > 0) {
    --left;
    raise(SIGUSR1);
  }
  return __libc_malloc(bytes);
}

static void onSignal(int) {
  mayFork = false; // until the child has ended
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  int status;
  waitpid(child, &status, 0);
  mayFork = true;
}

int main() {
  constexpr int Uploads = 60;
  std::vector<float> table = noise(1 << 14);
  void *d_table;
  CHECK(cudaMalloc(&d_table, 4 << 14));
  signal(SIGUSR1, onSignal);
  left = 100;
  mayFork = true;
  for (int i = 0; i < Uploads; ++i) {
    table[0] = float(i);
    CHECK(cudaMemcpy(d_table, table.data(), 4 << 14, cudaMemcpyHostToDevice));
  }
  mayFork = false;
  puts("forked");
  CHECK(cudaFree(d_table));
}
