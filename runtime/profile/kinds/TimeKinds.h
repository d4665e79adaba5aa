// What time went into, and how it was measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_KINDS_TIMEKINDS_H
#define GPUINSTR_PROFILE_KINDS_TIMEKINDS_H

#include "profile/kinds/Named.h"

namespace gpuinstr::profile {

/// Work of a device, by the names of nsys.
#define GPUINSTR_DEVICE_OPERATIONS(X)                                                              \
  X(Kernel, "kernel")                                                                              \
  X(Graph, "graph")                                                                                \
  X(Set, "[CUDA memset]")                                                                          \
  X(Copy, "[CUDA memcpy]")                                                                         \
  X(HostToHost, "[CUDA memcpy Host-to-Host]")                                                      \
  X(HostToDevice, "[CUDA memcpy Host-to-Device]")                                                  \
  X(DeviceToHost, "[CUDA memcpy Device-to-Host]")                                                  \
  X(DeviceToDevice, "[CUDA memcpy Device-to-Device]")
GPUINSTR_NAMED_ENUM(DeviceOperation, GPUINSTR_DEVICE_OPERATIONS)

/// The host's side of a copy.
#define GPUINSTR_HOST_SIDES(X)                                                                     \
  X(Pinned, "pinned")                                                                              \
  X(Pageable, "pageable")
GPUINSTR_NAMED_ENUM(HostSide, GPUINSTR_HOST_SIDES)

/// How times of the device came about; Unknown: nothing was timed.
#define GPUINSTR_TIME_METHODS(X)                                                                   \
  X(Sampled, "sampled")                                                                            \
  X(Exact, "exact")
GPUINSTR_NAMED_ENUM(TimeMethod, GPUINSTR_TIME_METHODS)

/// What one-time costs are known from.
#define GPUINSTR_START_UP_METHODS(X)                                                               \
  X(Host, "host")                                                                                  \
  X(Cupti, "cupti")
GPUINSTR_NAMED_ENUM(StartUpMethod, GPUINSTR_START_UP_METHODS)

/// How much of what may be waste is looked at.
#define GPUINSTR_AUDIT_DEPTHS(X)                                                                   \
  X(Off, "off")                                                                                    \
  X(Sampled, "sampled")                                                                            \
  X(Full, "full")
GPUINSTR_NAMED_ENUM(AuditDepth, GPUINSTR_AUDIT_DEPTHS)

/// What the host was in.
#define GPUINSTR_HOST_ACTIVITIES(X)                                                                \
  X(StartUp, "start-up")                                                                           \
  X(Sync, "sync")                                                                                  \
  X(Copies, "copies")                                                                              \
  X(Sets, "sets")                                                                                  \
  X(Allocation, "allocation")                                                                      \
  X(Launch, "launch")                                                                              \
  X(Libraries, "libraries")                                                                        \
  X(Other, "other")                                                                                \
  X(YourCode, "your code")
GPUINSTR_NAMED_ENUM(HostActivity, GPUINSTR_HOST_ACTIVITIES)

/// What the host did while the device had nothing to do.
#define GPUINSTR_IDLE_CAUSES(X)                                                                    \
  X(Host, "host")                                                                                  \
  X(Allocation, "allocation")
GPUINSTR_NAMED_ENUM(IdleCause, GPUINSTR_IDLE_CAUSES)

/// What held a device's clocks below the most.
#define GPUINSTR_CLOCK_REASONS(X)                                                                  \
  X(PowerCap, "power cap")                                                                         \
  X(Temperature, "temperature")                                                                    \
  X(Overheats, "temperature, by the hardware")                                                     \
  X(Hardware, "hardware slowdown")                                                                 \
  X(PowerBrake, "power brake")                                                                     \
  X(Applications, "application clocks")                                                            \
  X(SyncBoost, "sync boost")                                                                       \
  X(Display, "display clocks")
GPUINSTR_NAMED_ENUM(ClockReason, GPUINSTR_CLOCK_REASONS)

/// What the tool's own cost went into.
#define GPUINSTR_OWN_CONSUMERS(X)                                                                  \
  X(DeviceLooks, "looks on the device")                                                            \
  X(HostLooks, "looks at what is sent")                                                            \
  X(EqualElements, "searches for equal elements")                                                  \
  X(Addresses, "searches for addresses")                                                           \
  X(DeviceTimes, "device times")                                                                   \
  X(Trace, "trace")                                                                                \
  X(Telemetry, "telemetry")                                                                        \
  X(Bookkeeping, "bookkeeping")
GPUINSTR_NAMED_ENUM(OwnConsumer, GPUINSTR_OWN_CONSUMERS)

} // namespace gpuinstr::profile

#endif
