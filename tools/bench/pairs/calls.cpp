// The loops of one side of launch-side.cu, each timed in this process alone.
// SPDX-License-Identifier: Apache-2.0
//
// usage: calls [SHARE]
//   SHARE: 0.01 to 100 times the usual number of calls, for tools that make them slow. Prints a
//   line `NAME: NS` for each loop, ns a call. -DSIDE=plain or -DSIDE=instrumented.
#include "LaunchPairs.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

void print(const char *name, double share, int calls, const std::function<int(int)> &loop) {
  const int count = calls * share < 8 ? 8 : static_cast<int>(calls * share);
  if (loop(count / 4)) // warm
    std::exit(2);
  const auto start = std::chrono::steady_clock::now();
  if (loop(count))
    std::exit(2);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("%s: %.1f\n", name, took.count() / count);
}

} // namespace

int main(int argc, char **argv) {
  const double share = argc > 1 ? std::atof(argv[1]) : 1;
  if (share < 0.01 || share > 100) {
    std::fprintf(stderr, "calls: SHARE is 0.01 to 100\n");
    return 2;
  }
  const Side side = SIDE();
  print("launches", share, 40000, [&](int n) { return side.launches(n); });
  print("8 threads launching", share, 40000, [&](int n) { return side.threads(8, (n + 7) / 8); });
  print("cudaMalloc+cudaFree", share, 500, [&](int n) { return side.allocations(n); });
  print("cudaMemcpyAsync 4 KiB", share, 8000, [&](int n) { return side.copies(n, 4096); });
  print("cudaMemcpyAsync 1 MiB", share, 500, [&](int n) { return side.copies(n, 1 << 20); });
  print("captured launches", share, 20000,
        [&](int n) { return side.captures((n + 99) / 100 * 100); });
}
