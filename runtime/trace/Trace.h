// The event trace: option trace=PATH. Buffers of threads, the thread that writes, start and end.
// SPDX-License-Identifier: Apache-2.0
//
// Off, it costs nothing: the program is then connected to other functions (Hooks.h). On, a call
// fills one record in its thread's ring; no lock, no allocation but for a thread's first record and
// a kernel's first launch.
#ifndef GPUINSTR_TRACE_TRACE_H
#define GPUINSTR_TRACE_TRACE_H

#include "calls/threads/Thread.h"
#include "trace/Buffer.h"
#include <string>
#include <vector>

namespace gpuinstr {
class Part;
}

namespace gpuinstr::trace {

/// Decides by the options whether this process traces, before the first enter.
Part &tracePart();
/// The option was given, and in time.
bool isOn();

/// The thread's ring, made at its first record; nullptr: off or no memory. `thread` is this
/// thread's.
Buffer *bufferOf(ThreadState &thread);
/// Wakes the writing thread.
void wakeWriter();
/// The number of a kernel's or range's name.
uint32_t nameNumber(const std::string &name);

/// Work on the device, from whoever timed it. All that is unknown may stay as it is.
struct DeviceWork {
  uint8_t op = 0;                  ///< gpuinstr_op: LAUNCH, COPY, SET, GRAPH_LAUNCH
  uint64_t startNs = 0, endNs = 0; ///< CLOCK_MONOTONIC
  uint64_t correlation = 0;        ///< of the call, see correlationOfCall
  SiteIndex site = 0, caller = 0;  ///< that the call is charged to
  std::string name;                ///< of a kernel
  uint64_t stream = 0;
  bool streamIsId = false; ///< CUPTI's stream number in place of a handle
  uint64_t bytes = 0;
  Direction direction = Direction::Unknown;
  HostMemory memory = HostMemory::Unknown;
  uint32_t grid[3] = {}, block[3] = {}, shared = 0, registers = 0;
  int device = -1;
  bool estimated = false; ///< from an event pair, within `doubtNs`
  uint32_t doubtNs = 0;
  bool graphNode = false;
};
/// Any thread, also while CUPTI hands over buffers; not between enter and leave. Does nothing while
/// the trace is off.
void addDevice(const DeviceWork &work);

/// A reading of a device's power. Any thread. Does nothing while the trace is off.
void addPower(const PowerEntry &reading);

/// The correlation of the record that the call in progress on this thread will get; 0: off. Asked
/// for inside the call, by whoever times its device work. LeftOut: the call is left out, and
/// addDevice leaves out its work as well.
constexpr uint64_t LeftOut = UINT64_MAX;
uint64_t correlationOfCall(ThreadState &thread);

/// Writes what is waiting. With `last` the file ends, and nothing is traced after it.
void flush(bool last);
} // namespace gpuinstr::trace

#endif
