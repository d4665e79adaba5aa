// Thrust's algorithms, of one tile and of many, do what std:: does.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl
// RUN: %build_simulated -O0 -std=c++17 %cccl -Wno-pass-failed %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include <algorithm>
#include <numeric>
#include <random>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <vector>

template <class T> std::vector<T> numbers(size_t count, unsigned seed, int below) {
  std::mt19937 engine(seed);
  std::vector<T> out(count);
  for (T &x : out)
    x = T(int(engine() % unsigned(below)) - below / 2);
  return out;
}

template <class T>
void checkSame(const char *what, const thrust::device_vector<T> &got,
               const std::vector<T> &wanted) {
  std::vector<T> here(got.size());
  thrust::copy(got.begin(), got.end(), here.begin());
  check(what, here == wanted, true);
}

template <class T> void checkAll(size_t count) {
  const std::vector<T> in = numbers<T>(count, 7, 5000);
  std::vector<T> wanted = in;
  thrust::device_vector<T> data(in);

  check("reduce", thrust::reduce(data.begin(), data.end(), T(3)),
        std::accumulate(in.begin(), in.end(), T(3)));
  thrust::device_vector<T> out(count);
  thrust::inclusive_scan(data.begin(), data.end(), out.begin());
  std::partial_sum(in.begin(), in.end(), wanted.begin());
  checkSame("inclusive_scan", out, wanted);
  thrust::exclusive_scan(data.begin(), data.end(), out.begin(), T(5));
  std::exclusive_scan(in.begin(), in.end(), wanted.begin(), T(5));
  checkSame("exclusive_scan", out, wanted);

  wanted = in;
  thrust::sort(data.begin(), data.end());
  std::sort(wanted.begin(), wanted.end());
  checkSame("sort", data, wanted);
  data.erase(thrust::unique(data.begin(), data.end()), data.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  checkSame("unique", data, wanted);
}

/// Stable, with a comparison of its own: merge sort.
struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

void checkPairs(size_t count) {
  const std::vector<int> keys = numbers<int>(count, 11, 100);
  std::vector<int> order(count), sorted = keys;
  std::iota(order.begin(), order.end(), 0);
  thrust::device_vector<int> deviceKeys(keys), deviceOrder(order);
  thrust::stable_sort_by_key(deviceKeys.begin(), deviceKeys.end(), deviceOrder.begin());
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  std::sort(sorted.begin(), sorted.end());
  checkSame("keys", deviceKeys, sorted);
  checkSame("values", deviceOrder, order);

  thrust::device_vector<int> merged(keys);
  std::vector<int> wanted = keys;
  thrust::stable_sort(merged.begin(), merged.end(), ByLastDigit());
  std::stable_sort(wanted.begin(), wanted.end(), ByLastDigit());
  checkSame("merge sort", merged, wanted);
}

int main() {
  for (size_t count : {1, 1000, 60000}) {
    checkAll<int>(count);
    checkPairs(count);
  }
  return failed();
}
