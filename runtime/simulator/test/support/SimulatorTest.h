// What the simulator's tests share. Main.cpp gives every test two devices of 64 MiB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace gpuinstr::sim::test {

constexpr size_t DeviceBytes = size_t(64) << 20;

inline void expectOk(cudaError_t e) { EXPECT_EQ(e, cudaSuccess) << cudaGetErrorName(e); }

/// Makes the primary context of device 0 current, for tests of the driver API.
inline void startDriver() { expectOk(cudaFree(nullptr)); }

/// A host function that holds a stream until the gate opens, for work that stays pending.
struct Gate {
  std::atomic<bool> open{false};
  std::atomic<bool> passed{false};
  static void wait(void *self) {
    auto *g = static_cast<Gate *>(self);
    while (!g->open)
      std::this_thread::yield();
    g->passed = true;
  }
};

/// Device memory with given contents, freed at the end.
template <typename T> class OnDevice {
public:
  explicit OnDevice(std::vector<T> values) : Bytes(values.size() * sizeof(T)) {
    expectOk(cudaMalloc(reinterpret_cast<void **>(&Address), Bytes));
    expectOk(cudaMemcpy(Address, values.data(), Bytes, cudaMemcpyHostToDevice));
  }
  ~OnDevice() { cudaFree(Address); }
  std::vector<T> read() const {
    std::vector<T> values(Bytes / sizeof(T));
    expectOk(cudaMemcpy(values.data(), Address, Bytes, cudaMemcpyDeviceToHost));
    return values;
  }
  T *get() const { return Address; }

private:
  T *Address = nullptr;
  size_t Bytes;
};

} // namespace gpuinstr::sim::test
