// Device work on its way into the trace.
// SPDX-License-Identifier: Apache-2.0
#include "base/Clock.h"
#include "cuda/Driver.h"
#include "trace/Describe.h"
#include "trace/Trace.h"
#include <algorithm>

namespace gpuinstr::trace {

void addSampled(Record record, uint64_t startTicks, double afterNs, double ns, double doubtNs) {
  static const double nsOfTick = nsPerTick();
  record.start = startTicks + uint64_t(std::max(0.0, afterNs / nsOfTick));
  record.end = record.start + uint64_t(ns / nsOfTick);
  record.flags |= Estimated;
  record.doubtNs = uint32_t(std::min(doubtNs, 4e9));
  addDevice(record);
}

void addDevice(const DeviceWork &work) {
  if (!isOn())
    return;
  if (work.correlation == LeftOut)
    return leftOutDevice(work.site);
  Record record = {};
  record.start = work.startNs;
  record.end = work.endNs;
  record.site = work.site;
  record.caller = work.caller;
  record.name = work.name.empty() ? 0 : nameNumber(work.name);
  record.correlation = work.correlation;
  record.thread = uint32_t(work.correlation >> 40);
  record.bytes = work.bytes;
  record.stream = work.stream;
  record.type = RecordType::Device;
  record.op = work.op;
  record.flags = uint8_t((work.estimated ? Estimated : 0) | (work.streamIsId ? StreamId : 0) |
                         (work.graphNode ? GraphNode : 0));
  if (work.op == GPUINSTR_OP_LAUNCH) {
    for (int i = 0; i < 3; ++i) {
      record.launch.grid[i] = work.grid[i];
      record.launch.block[i] = uint16_t(std::min<uint32_t>(work.block[i], 0xffff));
    }
    record.launch.shared = work.shared;
    record.launch.registers = uint16_t(std::min<uint32_t>(work.registers, 0xffff));
  } else {
    record.memory.direction = work.direction;
    record.memory.memory = work.memory;
  }
  record.device = work.device < 0 ? NoDevice : uint16_t(work.device);
  record.doubtNs = work.doubtNs;
  addDevice(record);
}

} // namespace gpuinstr::trace
