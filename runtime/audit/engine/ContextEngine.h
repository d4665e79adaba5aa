// The engine of one context.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ENGINE_CONTEXTENGINE_H
#define GPUINSTR_AUDIT_ENGINE_CONTEXTENGINE_H

#include "audit/engine/HashRecords.h"
#include "audit/hash/HashWork.h"
#include "cuda/Driver.h"

namespace gpuinstr::audit {

constexpr int Success = 0; ///< from cuda.h

class ContextEngine final : public DeviceHasher {
public:
  /// Loads the kernels and registers the records in the current context. False: what the driver
  /// gave stays with the context, which frees it. `cap`: bytes of device memory that it may take.
  bool create(const DriverApi &api, uint64_t cap);
  /// The context goes away: nothing is put into it any more.
  void drop() { Off.store(true, std::memory_order_release); }
  bool isOn() const { return !Off.load(std::memory_order_acquire); }
  /// Dropped, and no ticket is held: may be created anew in another context.
  bool reusable() const { return Off.load(std::memory_order_acquire) && All.idle(); }

  Ticket begin(EnqueueResult &why) override;
  EnqueueResult enqueue(Ticket ticket, bool after, const cuda::Region &region,
                        uint64_t stream) override;
  bool finish(Ticket ticket, uint64_t stream) override;
  bool setMarker(unsigned marker, uint64_t stream) override;
  bool putBehind(unsigned marker, uint64_t stream) override;
  bool finishMarker(Ticket ticket, unsigned marker) override;
  bool isIdle(uint64_t stream) override;
  bool settle(uint64_t stream) override;
  bool arrived(Ticket ticket) const override { return All.arrived(ticket); }
  Reading read(Ticket ticket) const override { return All.read(ticket); }
  void release(Ticket ticket) override { All.release(ticket); }
  uint64_t estimateNs(uint64_t bytes) const override;
  /// Measured on an H200: looked-at asynchronous copies of 1 MiB against others.
  uint64_t stallNs() const override { return 40000; }
  uint64_t bytesLeft() const override { return BytesLeft; }
  uint64_t deviceBytes() const override { return DeviceBytes; }
  uint64_t pinnedBytes() const override { return Records::bytes(); }

private:
  bool loadKernels();
  bool registerRecords();
  bool createMarks();
  void readDevice();
  void readBandwidth() const;
  bool isCapturing(uint64_t stream);
  EnqueueResult launch(HashKernel kernel, hash::Work &work, uint64_t stream);
  EnqueueResult failed(int result);

  const DriverApi *Api = nullptr;
  Records All;
  void *Functions[HashKernels] = {};
  void *Events[Markers] = {};
  uint64_t RecordsOnDevice = 0, DeviceBytes = 0, BytesLeft = 0;
  uint32_t Multiprocessors = 1;
  int Device = -1; ///< where it can be asked about
  mutable std::atomic<double> BytesPerNs{500};
  mutable std::atomic<bool> BandwidthIsRead{false};
  mutable std::atomic<uint64_t> AskedBytes{0};
  std::atomic<uint64_t> LaunchNs{4000}; ///< recent host time of a launch
  std::atomic<uint32_t> Failures{0};    ///< in a row
  std::atomic<bool> Off{true};
};

} // namespace gpuinstr::audit

#endif
