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

inline void expectOk(cudaError_t E) { EXPECT_EQ(E, cudaSuccess) << cudaGetErrorName(E); }

/// Makes the primary context of device 0 current, for tests of the driver API.
inline void startDriver() { expectOk(cudaFree(nullptr)); }

/// A host function that holds a stream until the gate opens, for work that stays pending.
struct Gate {
  std::atomic<bool> Open{false};
  std::atomic<bool> Passed{false};
  static void wait(void *Self) {
    auto *G = static_cast<Gate *>(Self);
    while (!G->Open)
      std::this_thread::yield();
    G->Passed = true;
  }
};

/// Device memory with given contents, freed at the end.
template <typename T> class OnDevice {
public:
  explicit OnDevice(std::vector<T> Values) : Bytes(Values.size() * sizeof(T)) {
    expectOk(cudaMalloc(reinterpret_cast<void **>(&Address), Bytes));
    expectOk(cudaMemcpy(Address, Values.data(), Bytes, cudaMemcpyHostToDevice));
  }
  ~OnDevice() { cudaFree(Address); }
  std::vector<T> read() const {
    std::vector<T> Values(Bytes / sizeof(T));
    expectOk(cudaMemcpy(Values.data(), Address, Bytes, cudaMemcpyDeviceToHost));
    return Values;
  }
  T *get() const { return Address; }

private:
  T *Address = nullptr;
  size_t Bytes;
};

} // namespace gpuinstr::sim::test
