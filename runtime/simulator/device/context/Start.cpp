// Start, fork and exit of the simulated driver.
// SPDX-License-Identifier: Apache-2.0
#include "device/context/Start.h"

#include "common/SimulatorOptions.h"
#include "device/kernel/OwnKernels.h"
#include "device/memory/MemoryPool.h"
#include "device/state/SimulatorState.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace gpuinstr::sim {

namespace {

std::atomic<bool> Used{false};
std::atomic<bool> Forked{false};
std::atomic<bool> Unloading{false};

/// How many of the configured devices CUDA_VISIBLE_DEVICES lets through. As with the real driver,
/// the list ends at the first index that names no device, and an empty list hides all.
int visibleDevices(int Configured) {
  const char *List = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!List)
    return Configured;
  int Visible = 0;
  while (*List && Visible < Configured) {
    char *End = nullptr;
    long Index = std::strtol(List, &End, 10);
    if (End == List || Index < 0 || Index >= Configured)
      break;
    ++Visible;
    if (*End != ',')
      break;
    List = End + 1;
  }
  return Visible;
}

std::unique_ptr<Device> makeDevice(State &S, int Ordinal) {
  auto Dev = std::make_unique<Device>();
  Dev->Ordinal = Ordinal;
  size_t Bytes = options().Memory;
  while (!Dev->Memory.reserve(Bytes, options().GuardPages)) {
    std::fprintf(stderr, "gpuinstr simulator: cannot reserve %zu bytes, trying half of it\n",
                 Bytes);
    Bytes /= 2;
    if (!Bytes)
      return nullptr;
  }
  Dev->Primary.Device = Ordinal;
  Dev->Primary.Primary = true;
  Dev->DefaultPool = makeDefaultPool(S, Ordinal);
  Dev->CurrentPool = Dev->DefaultPool;
  return Dev;
}

} // namespace

bool unloading() { return Unloading.load(std::memory_order_relaxed); }
bool forkedAfterUse() { return Forked.load(std::memory_order_relaxed); }

CUresult initialise() {
  static const bool Defined = (defineOwnKernels(), true);
  (void)Defined;
  State &S = state();
  Lock L(S.M);
  if (S.Initialised)
    return S.Devices.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
  int Count = visibleDevices(options().Devices);
  for (int I = 0; I < Count; ++I)
    if (auto Dev = makeDevice(S, I))
      S.Devices.push_back(std::move(Dev));
  S.Initialised = true;
  if (S.Devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  // The driver shuts down in an exit handler registered at first use: objects constructed before
  // that and destroyed after it see "deinitialised".
  std::atexit([] { Unloading = true; });
  pthread_atfork(nullptr, nullptr, [] { Forked = Used.load(); });
  Used = true;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
