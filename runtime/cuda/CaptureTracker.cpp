// Which stream captures are open.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"

namespace gpuinstr {

namespace {
constexpr int CaptureStatusNone = 0, CaptureStatusActive = 1;
} // namespace

// Both questions are made to be asked while captures are open, of whatever mode: the thread's need
// not be relaxed for them. But the legacy default stream cannot be captured, and asking of it would
// disturb others' captures.

bool streamIsCapturing(uint64_t stream) {
  const DriverApi *d = driverApi();
  if (!d || !d->streamIsCapturing || stream < 2)
    return false;
  int status = CaptureStatusNone;
  return d->streamIsCapturing(reinterpret_cast<void *>(stream), &status) == 0 &&
         status != CaptureStatusNone;
}

uint64_t captureOf(uint64_t stream) {
  const DriverApi *d = driverApi();
  if (!d || !d->streamGetCaptureInfo || stream < 2)
    return 0;
  int status = CaptureStatusNone;
  unsigned long long id = 0;
  bool known = d->streamGetCaptureInfo(reinterpret_cast<void *>(stream), &status, &id, nullptr,
                                       nullptr, nullptr) == 0;
  return known && status == CaptureStatusActive ? id : 0;
}

void cuda::CaptureTracker::drop() {
  // One that other code began is not counted.
  for (uint32_t open = Open.load(); open && !Open.compare_exchange_weak(open, open - 1);)
    ;
}

} // namespace gpuinstr
