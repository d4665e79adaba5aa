// A timer's handler forks, as those that start a debugger do, also when its thread is within the runtime's own work and
// holds locks of it: no hang. The children make no call and have no report.
// SPDX-License-Identifier: Apache-2.0
// OPTIONS: audit=full
// EXPECT-PROFILES: 1
// EXPECT-STDOUT: forked
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <csignal>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t forked;

static void onTimer(int) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  int status;
  while (waitpid(child, &status, 0) < 0)
    ;
  forked = forked + 1;
}

int main() {
  constexpr int Forks = 60;
  std::vector<float> table = noise(1 << 14);
  void *d_table;
  CHECK(cudaMalloc(&d_table, 4 << 14));
  CHECK(cudaMemcpy(d_table, table.data(), 4 << 14, cudaMemcpyHostToDevice));
  signal(SIGALRM, onTimer);
  itimerval timer = {{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  for (unsigned i = 0; forked < Forks; ++i) {
    table[0] = float(i);
    CHECK(cudaMemcpy(d_table, table.data(), 4 << 14, cudaMemcpyHostToDevice));
  }
  timer = {};
  setitimer(ITIMER_REAL, &timer, nullptr);
  puts("forked");
  CHECK(cudaFree(d_table));
}
