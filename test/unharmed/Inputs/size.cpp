// Much of everything: live allocations, calls, call sites, streams, threads born and gone.
// SPDX-License-Identifier: Apache-2.0
//
// usage: size LIVE CALLS STREAMS THREADS. In ten rounds; behind each a line `round N CALLS KIB`
// with the process's resident memory, at last `end NANOSECONDS` (CLOCK_MONOTONIC). SITES_H defines
// the call sites: functions `void site0(void *)` and so on, and `sites`, an array of them.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <malloc.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static std::atomic<unsigned long> calls, failures;
static void done(cudaError_t error) {
  calls.fetch_add(1, std::memory_order_relaxed);
  if (error != cudaSuccess)
    failures.fetch_add(1, std::memory_order_relaxed);
}
#include SITES_H

static void bornAndGone() {
  int *p = nullptr, host[4] = {};
  done(cudaMalloc(&p, sizeof host));
  done(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  done(cudaFree(p));
}

static long residentKiB() {
  malloc_trim(0);
  long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int, char **arguments) {
  const long live = std::atol(arguments[1]), wanted = std::atol(arguments[2]);
  const long streams = std::atol(arguments[3]), threads = std::atol(arguments[4]);
  std::vector<void *> held(live);
  for (void *&p : held)
    done(cudaMalloc(&p, 256));
  void *fixed = nullptr;
  done(cudaMalloc(&fixed, 4096));
  std::vector<int> host(1024);
  std::vector<cudaStream_t> created(streams / 10);
  constexpr int Rounds = 10;
  const long before = calls;
  size_t next = 0, count = sizeof sites / sizeof *sites;
  for (int round = 0; round < Rounds; ++round) {
    for (cudaStream_t &stream : created) {
      done(cudaStreamCreate(&stream));
      done(cudaMemsetAsync(fixed, round, 16, stream));
    }
    for (cudaStream_t stream : created)
      done(cudaStreamDestroy(stream));
    for (long born = 0; born < threads / Rounds; born += 8) {
      std::vector<std::thread> some;
      for (long i = born; i < std::min(born + 8, threads / Rounds); ++i)
        some.emplace_back(bornAndGone);
      for (std::thread &thread : some)
        thread.join();
    }
    while (long(calls) - before < wanted / Rounds * (round + 1)) {
      for (int i = 0; i < 64; ++i, ++next)
        sites[next % count](fixed);
      int *p = nullptr;
      for (int i = 0; i < 8; ++i) {
        host[0] = int(next % 512); // of what was sent, 64 k different contents are remembered
        done(cudaMalloc(&p, 4096));
        done(cudaMemcpy(p, host.data(), 4096, cudaMemcpyHostToDevice));
        done(cudaMemset(p, i, 64));
        done(cudaFree(p));
      }
      // The oldest of the live ones is freed, and a new one made.
      if (live) {
        void *&oldest = held[next % live];
        done(cudaFree(oldest));
        done(cudaMalloc(&oldest, 256));
      }
    }
    // What the runtime keeps for a site comes with its first sampled calls. Of many sites some have
    // theirs late, so all of them are called in the first round alone.
    count = std::min<size_t>(count, 300);
    std::printf("round %d %lu %ld\n", round, calls.load(), residentKiB());
    std::fflush(stdout);
  }
  for (void *p : held)
    done(cudaFree(p));
  done(cudaFree(fixed));
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::printf("calls %lu failures %lu end %lld sites %zu\n", calls.load(), failures.load(),
              now.tv_sec * 1000000000ll + now.tv_nsec, sizeof sites / sizeof *sites);
}
