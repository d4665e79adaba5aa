// A device with one queue: events pass when its work before them is done.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_TIME_FAKEDEVICE_H
#define GPUINSTR_TEST_TIME_FAKEDEVICE_H

#include "Support.h"
#include "base/Clock.h"
#include "cuda/Driver.h"
#include <algorithm>
#include <set>

namespace gpuinstr::test {

constexpr uint32_t LaunchSlots =
    bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM) | bit(GPUINSTR_SLOT_GRID_XY);

struct FakeDevice {
  struct Event {
    double ns = 0;
    bool recorded = false;
    uint64_t stream = 0;
  };
  static inline double BusyUntil = 0;  ///< ns of the host's clock
  static inline bool Held = false;     ///< it passes nothing
  static inline uint64_t HeldStream{}; ///< it passes nothing of this stream
  static inline int Refuses = 0;       ///< no event can be recorded: the error
  static inline double EventNs = 1270; ///< that an event takes
  static inline double SetNs = 0;      ///< ... a row of a set
  static inline int Records = 0, Created = 0, Pending = 0, MostPending = 0, NotRelaxed = 0;
  static inline uint64_t LastStream = 0;
  struct Set {
    uint64_t address, stream, rows;
    int records; ///< before it
  };
  static inline size_t FreeBytes = size_t(1) << 29;
  static inline int Allocated = 0, Sets = 0; ///< of the runtime's own
  static inline Set LastSet = {};

  static double now() { return std::max(BusyUntil, double(monotonicNs())); }
  /// The body of a launch. Events beside a kernel cost more than events alone.
  static void work(double ns) { BusyUntil = now() + ns + 1.33 * EventNs; }

  static int record(void *event, void *stream) {
    NotRelaxed += FakeDriver::CaptureMode != 2;
    if (Refuses)
      return Refuses;
    LastStream = reinterpret_cast<uint64_t>(stream);
    auto *e = static_cast<Event *>(event);
    e->ns = BusyUntil = now() + EventNs;
    e->recorded = true;
    e->stream = LastStream;
    ++Records;
    return 0;
  }
  static int set(uint64_t address, size_t rows, void *stream) {
    NotRelaxed += FakeDriver::CaptureMode != 2;
    ++Sets;
    LastSet = {address, reinterpret_cast<uint64_t>(stream), rows, Records};
    BusyUntil = now() + SetNs * double(rows);
    return 0;
  }
  static int query(void *event) {
    NotRelaxed += FakeDriver::CaptureMode != 2;
    auto *e = static_cast<Event *>(event);
    if (Held || (HeldStream && e->stream == HeldStream))
      return 600;
    return e->ns <= double(monotonicNs()) ? 0 : 600;
  }

  /// In place of the driver that forgetAll() installed.
  static void install() {
    forgetAll();
    DriverApi api = *driverApi();
    api.eventCreate = [](void **event, unsigned) {
      ++Created;
      *event = new Event;
      return 0;
    };
    api.eventRecord = record;
    api.eventQuery = query;
    api.eventElapsedTime = [](float *ms, void *start, void *stop) {
      if (query(stop) != 0)
        return 600;
      *ms = float((static_cast<Event *>(stop)->ns - static_cast<Event *>(start)->ns) / 1e6);
      return 0;
    };
    api.streamCreate = [](void **stream, unsigned) {
      *stream = reinterpret_cast<void *>(0x77);
      return 0;
    };
    api.streamDestroy = [](void *) { return 0; };
    api.memGetInfo = [](size_t *free, size_t *total) {
      *free = FreeBytes;
      *total = size_t(1) << 30;
      return 0;
    };
    api.memAlloc = [](uint64_t *address, size_t) {
      ++Allocated;
      *address = 0x5c8a7c00;
      return 0;
    };
    api.memsetD2D8Async = [](uint64_t address, size_t, unsigned char, size_t, size_t rows,
                             void *stream) { return set(address, rows, stream); };
    api.streamQuery = [](void *) { return BusyUntil > double(monotonicNs()) ? 600 : 0; };
    useDriver(api);
  }
};

} // namespace gpuinstr::test

#endif
