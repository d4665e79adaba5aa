// hash-throughput: whether the engine's calls wait for a device that waits for the host.
// SPDX-License-Identifier: Apache-2.0
#include "audit/engine/HashRecords.h"
#include "hash/HashBench.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace gpuinstr::bench {

namespace {

constexpr double HeldMs = 300;

/// A kernel that polls a flag, let go after HeldMs by another thread.
class Spinning {
public:
  Spinning(const Options &options, CUstream stream) {
    CUmodule module = nullptr;
    CUfunction spin = nullptr;
    void *memory = nullptr;
    CU(cuModuleLoadData, &module, readFile(options.sumFile).c_str());
    CU(cuModuleGetFunction, &spin, module, "bench_spin");
    CU(cuMemHostAlloc, &memory, sizeof(uint32_t), unsigned(CU_MEMHOSTALLOC_DEVICEMAP));
    Flag = static_cast<volatile uint32_t *>(memory);
    *Flag = 0;
    CUdeviceptr address = 0;
    CU(cuMemHostGetDevicePointer, &address, memory, 0u);
    void *parameters[] = {&address};
    CU(cuLaunchKernel, spin, 1u, 1u, 1u, 1u, 1u, 1u, 0u, stream, parameters, nullptr);
    Begin = nowUs();
    Releaser = std::thread([this] {
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(HeldMs));
      *Flag = 1;
    });
  }
  ~Spinning() { Releaser.join(); }
  /// Whether what was just done waited for the kernel.
  bool isOver() const { return nowUs() - Begin > HeldMs * 1e3 * 0.9; }

private:
  volatile uint32_t *Flag = nullptr;
  double Begin = 0;
  std::thread Releaser;
};

} // namespace

bool checkWaits(Device &device, const Options &options) {
  CUdeviceptr buffer = device.alloc(1 << 20);
  CUstream busy = nullptr, other = nullptr;
  CU(cuStreamCreate, &busy, unsigned(CU_STREAM_NON_BLOCKING));
  CU(cuStreamCreate, &other, unsigned(CU_STREAM_NON_BLOCKING));
  bool waited = false;
  unsigned put = 0, full = 0;
  double most = 0;
  {
    Spinning kernel(options, busy);
    audit::DeviceHasher *engine = audit::currentEngine(false);
    std::vector<audit::Ticket> tickets;
    for (unsigned i = 0; i < audit::Records::MaxPending + 72; ++i) {
      audit::EnqueueResult why;
      double begin = nowUs();
      audit::Ticket ticket = engine->begin(why);
      audit::EnqueueResult refusal =
          engine->enqueue(ticket, i % 2, flat(buffer, 1 << 20), uint64_t(i % 8 ? busy : other));
      most = std::max(most, nowUs() - begin);
      put += refusal == audit::EnqueueResult::None;
      full += refusal == audit::EnqueueResult::Full;
      engine->release(ticket);
    }
    waited = kernel.isOver();
  }
  CU(cuStreamSynchronize, busy);
  std::printf(
      "waits: beside and behind a kernel that polls: %u hashes put, %u refused as full, the "
      "slowest call %.0f us%s\n",
      put, full, most, waited ? ": WAITED" : "");
  // What currentEngine(true) must not be called beside.
  {
    Spinning kernel(options, busy);
    audit::dropEngine(uint64_t(device.context));
    double begin = nowUs();
    bool made = audit::currentEngine() != nullptr;
    double took = nowUs() - begin;
    std::printf("waits: making an engine beside such a kernel: %s in %.2f ms%s\n",
                made ? "made" : "not made", took / 1e3,
                kernel.isOver() ? ", when it had ended" : "");
  }
  CU(cuStreamSynchronize, busy);
  CU(cuStreamDestroy, busy);
  CU(cuStreamDestroy, other);
  device.free(buffer);
  return !waited && put >= audit::Records::MaxPending / 2 &&
         put + full == audit::Records::MaxPending + 72;
}

} // namespace gpuinstr::bench
