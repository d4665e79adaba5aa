// Start, fork and exit of the simulated driver.
// SPDX-License-Identifier: Apache-2.0
#include "device/context/Start.h"

#include "common/SimulatorOptions.h"
#include "device/kernel/OwnKernels.h"
#include "device/memory/MemoryPool.h"
#include "device/oracle/Oracle.h"
#include "device/state/SimulatorState.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

namespace gpuinstr::sim {

namespace {

std::atomic<bool> Used{false};
std::atomic<bool> Forked{false};
std::atomic<bool> Unloading{false};

/// How many of the configured devices CUDA_VISIBLE_DEVICES lets through. As with the real driver,
/// the list ends at the first index that names no device, and an empty list hides all.
int visibleDevices(int configured) {
  const char *list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!list)
    return configured;
  int visible = 0;
  while (*list && visible < configured) {
    char *end = nullptr;
    long index = std::strtol(list, &end, 10);
    if (end == list || index < 0 || index >= configured)
      break;
    ++visible;
    if (*end != ',')
      break;
    list = end + 1;
  }
  return visible;
}

/// As much as the system lets this process have, where it has a limit: the whole or a half of it, a
/// quarter … Guard pages need addresses of their own: a device without them is better than none.
/// One line says what is less.
bool reserveMemory(Arena &memory) {
  constexpr size_t LeastGuarded = size_t(64) << 20;
  const size_t wanted = std::max(options().memory, size_t(Arena::Granularity));
  for (bool guarded : {true, false}) {
    if (guarded && !options().guardPages)
      continue;
    for (size_t bytes = wanted;
         bytes >= Arena::Granularity && (!guarded || bytes == wanted || bytes >= LeastGuarded);
         bytes /= 2) {
      if (!memory.reserve(bytes, guarded))
        continue;
      if (bytes != wanted || guarded != options().guardPages)
        std::fprintf(stderr,
                     "gpuinstr simulator: no address space for %zu bytes: the device has %zu%s\n",
                     wanted, bytes, guarded == options().guardPages ? "" : ", without guard pages");
      return true;
    }
  }
  std::fprintf(stderr, "gpuinstr simulator: no address space for %zu bytes: there is no device\n",
               wanted);
  return false;
}

std::unique_ptr<Device> makeDevice(State &s, int ordinal) {
  auto dev = std::make_unique<Device>();
  dev->ordinal = ordinal;
  if (!reserveMemory(dev->memory))
    return nullptr;
  dev->primary.device = ordinal;
  dev->primary.primary = true;
  dev->defaultPool = makeDefaultPool(s, ordinal);
  dev->currentPool = dev->defaultPool;
  return dev;
}

} // namespace

bool unloading() { return Unloading.load(std::memory_order_relaxed); }
bool forkedAfterUse() { return Forked.load(std::memory_order_relaxed); }

/// As the driver does: loads a tool that the environment names, and lets it start.
static void loadInjection() {
  const char *path = secure_getenv("CUDA_INJECTION64_PATH");
  void *tool = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (void *start = tool ? dlsym(tool, "InitializeInjection") : nullptr)
    reinterpret_cast<int (*)()>(start)();
}

/// From the library's start on: who forks while another thread initialises leaves locks behind.
[[maybe_unused]] static const int Watched =
    pthread_atfork(nullptr, nullptr, [] { Forked = Used.load(); });

static CUresult initialiseOnce(bool &first) {
  static const bool defined = (defineOwnKernels(), true);
  (void)defined;
  State &s = state();
  Lock l(s.m);
  if (s.initialised)
    return s.devices.empty() ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
  first = true;
  int count = visibleDevices(options().devices);
  for (int i = 0; i < count; ++i)
    if (auto dev = makeDevice(s, i))
      s.devices.push_back(std::move(dev));
  s.initialised = true;
  if (s.devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  // The driver shuts down in an exit handler registered at first use: objects constructed before
  // that and destroyed after it see "deinitialised".
  std::atexit([] {
    Oracle *oracle = forkedAfterUse() ? nullptr : Oracle::get();
    if (oracle)
      oracle->write();
    Unloading = true;
  });
  return CUDA_SUCCESS;
}

CUresult initialise() {
  bool first = false;
  Used = true; // a child that is forked from now on may find locks that nobody gives back
  CUresult result = initialiseOnce(first);
  if (result != CUDA_SUCCESS)
    Used = false;
  if (first && result == CUDA_SUCCESS)
    loadInjection(); // without the lock: the tool may call the driver
  return result;
}

} // namespace gpuinstr::sim
