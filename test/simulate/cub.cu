// CUB's device algorithms do what std:: does; values of 16 bytes, too.
// SPDX-License-Identifier: Apache-2.0
// REQUIRES: cccl
// RUN: %build_simulated -O0 -std=c++17 %cccl -Wno-pass-failed %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>
#include <random>
#include <vector>

template <class T> struct Device {
  T *data;
  size_t count;
  explicit Device(size_t count) : count(count) { cudaMalloc(&data, (count + 1) * sizeof(T)); }
  explicit Device(const std::vector<T> &from) : Device(from.size()) {
    cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(data); }
  Device(const Device &) = delete;
  std::vector<T> get(size_t n) const {
    std::vector<T> out(n);
    cudaMemcpy(out.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return out;
  }
};

/// CUB's two calls: how much memory, then the work.
template <class Work> void twice(const char *what, Work work) {
  size_t bytes = 0;
  check(what, int(work(nullptr, bytes)), 0);
  Device<char> temporary(bytes);
  check(what, int(work(temporary.data, bytes)), 0);
}

struct IsOdd {
  __host__ __device__ bool operator()(unsigned x) const { return x & 1; }
};

void checkSums(const std::vector<unsigned> &in) {
  const int count = int(in.size());
  Device<unsigned> data(in), out(in.size()), number(1);
  twice("sum", [&](void *t, size_t &n) {
    return cub::DeviceReduce::Sum(t, n, data.data, number.data, count);
  });
  check("sum", number.get(1)[0], std::accumulate(in.begin(), in.end(), 0u));
  twice("max", [&](void *t, size_t &n) {
    return cub::DeviceReduce::Max(t, n, data.data, number.data, count);
  });
  check("max", number.get(1)[0], *std::max_element(in.begin(), in.end()));
  twice("scan", [&](void *t, size_t &n) {
    return cub::DeviceScan::ExclusiveSum(t, n, data.data, out.data, count);
  });
  std::vector<unsigned> wanted(in.size());
  std::exclusive_scan(in.begin(), in.end(), wanted.begin(), 0u);
  check("scan", out.get(in.size()) == wanted, true);
}

void checkChosen(const std::vector<unsigned> &in) {
  const int count = int(in.size());
  Device<unsigned> data(in), out(in.size()), number(1);
  twice("if", [&](void *t, size_t &n) {
    return cub::DeviceSelect::If(t, n, data.data, out.data, number.data, count, IsOdd());
  });
  std::vector<unsigned> wanted;
  std::copy_if(in.begin(), in.end(), std::back_inserter(wanted), IsOdd());
  check("if", number.get(1)[0], wanted.size());
  check("if", out.get(wanted.size()) == wanted, true);

  Device<int> bins(16);
  twice("histogram", [&](void *t, size_t &n) {
    return cub::DeviceHistogram::HistogramEven(t, n, data.data, bins.data, 17, 0u, 1600u, count);
  });
  std::vector<int> heights(16);
  for (unsigned x : in)
    if (x < 1600)
      ++heights[x / 100];
  check("histogram", bins.get(16) == heights, true);
}

template <class Key> void checkSort(const std::vector<unsigned> &in) {
  const int count = int(in.size());
  std::vector<Key> keys(in.size()), sorted;
  for (int i = 0; i < count; ++i)
    keys[i] = Key(in[i]) * Key(i % 3 ? 1 : -1);
  std::vector<longlong2> values(in.size());
  std::vector<int> order(in.size());
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < count; ++i)
    values[i] = longlong2{i, -i};
  Device<Key> from(keys), to(in.size());
  Device<longlong2> valuesFrom(values), valuesTo(in.size());
  twice("pairs", [&](void *t, size_t &n) {
    return cub::DeviceRadixSort::SortPairs(t, n, from.data, to.data, valuesFrom.data, valuesTo.data,
                                           count);
  });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  const std::vector<longlong2> moved = valuesTo.get(in.size());
  bool same = true;
  for (int i = 0; i < count; ++i)
    same &= moved[i].x == order[i] && moved[i].y == -order[i];
  check("values", same, true);
  twice("descending", [&](void *t, size_t &n) {
    return cub::DeviceRadixSort::SortKeysDescending(t, n, from.data, to.data, count);
  });
  sorted = keys;
  std::sort(sorted.rbegin(), sorted.rend());
  check("keys", to.get(in.size()) == sorted, true);
}

int main() {
  std::mt19937 engine(5);
  for (size_t count : {1, 999, 50000}) {
    std::vector<unsigned> in(count);
    for (unsigned &x : in)
      x = engine() % 2000;
    checkSums(in);
    checkChosen(in);
    checkSort<int>(in);
    checkSort<double>(in);
  }
  return failed();
}
