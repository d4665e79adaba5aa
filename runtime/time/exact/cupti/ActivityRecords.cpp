// CUPTI's buffers: pooled, tagged with the thread that fills them, and read.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/cupti/ActivityRecords.h"
#include "base/OwnMemory.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gpuinstr::timing {

namespace {

/// About 5,000 records; each thread that launches fills one of its own.
constexpr size_t BufferSize = 1 << 20;
constexpr size_t MostSpare = 16;

struct Buffers {
  std::mutex mutex;
  std::unordered_map<const uint8_t *, BufferTag> tags;
  std::vector<uint8_t *> spare;
};
Buffers &buffers() {
  static Buffers *instance = new Buffers; // leaked: used during exit
  return *instance;
}

void readKernel(const CuptiKernel &k, DeviceRecord &to) {
  to.done = Done::Kernel;
  to.registers = k.registers;
  to.correlation = k.correlation;
  to.device = k.device;
  to.stream = k.stream;
  for (int i = 0; i < 3; ++i) {
    to.grid[i] = uint32_t(k.grid[i]);
    to.block[i] = uint32_t(k.block[i]);
  }
  to.staticShared = uint32_t(k.staticShared);
  to.dynamicShared = uint32_t(k.dynamicShared);
  to.shape = shapeOf(to.grid, to.block, to.dynamicShared);
  to.start = k.start;
  to.end = k.end;
  to.name = k.name;
  to.graphNode = k.graphNode;
  to.graph = k.graph;
}

template <class Copy> void readCopy(const Copy &c, DeviceRecord &to) {
  to.done = Done::Copy;
  to.copyKind = c.copyKind;
  to.srcKind = c.srcKind;
  to.dstKind = c.dstKind;
  to.bytes = c.bytes;
  to.correlation = c.correlation;
  to.device = c.device;
  to.stream = c.stream;
  to.start = c.start;
  to.end = c.end;
  to.graphNode = c.graphNode;
  to.graph = c.graph;
}

void readSet(const CuptiMemset &m, DeviceRecord &to) {
  to.done = Done::Set;
  to.bytes = m.bytes;
  to.correlation = m.correlation;
  to.device = m.device;
  to.stream = m.stream;
  to.start = m.start;
  to.end = m.end;
  to.graphNode = m.graphNode;
  to.graph = m.graph;
}

} // namespace

bool readRecord(const void *record, DeviceRecord &to) {
  switch (*static_cast<const uint32_t *>(record)) {
  case ActivityKernel:
    readKernel(*static_cast<const CuptiKernel *>(record), to);
    return true;
  case ActivityMemcpy:
    readCopy(*static_cast<const CuptiMemcpy *>(record), to);
    return true;
  case ActivityPeer:
    readCopy(*static_cast<const CuptiPeerCopy *>(record), to);
    return true;
  case ActivityMemset:
    readSet(*static_cast<const CuptiMemset *>(record), to);
    return true;
  }
  return false;
}

bool readOverhead(const void *record, OverheadRecord &to) {
  const auto &r = *static_cast<const CuptiOverhead *>(record);
  if (r.kind != ActivityOverhead)
    return false;
  to = {Overhead(r.overhead), r.start, r.end};
  if (to.kind == Overhead::CommandBufferFull) // as old as the field
    std::free(r.data);
  return r.start && r.end;
}

uint8_t *takeBuffer(const BufferTag &tag, size_t &size) {
  Buffers &all = buffers();
  std::lock_guard<std::mutex> lock(all.mutex);
  uint8_t *buffer = nullptr;
  if (!all.spare.empty()) {
    buffer = all.spare.back();
    all.spare.pop_back();
  } else {
    // Plain memory of the C library: a tool that takes CUPTI over in mid-run would free() it.
    buffer = static_cast<uint8_t *>(std::calloc(1, BufferSize));
    if (buffer)
      noteOwnMapping(BufferSize);
  }
  size = buffer ? BufferSize : 0;
  if (buffer)
    all.tags[buffer] = tag;
  return buffer;
}

BufferTag tagOf(const uint8_t *buffer) {
  Buffers &all = buffers();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.tags.find(buffer);
  return found == all.tags.end() ? BufferTag() : found->second;
}

void giveBackBuffer(uint8_t *buffer, size_t valid) {
  std::memset(buffer, 0, valid < BufferSize ? valid : BufferSize);
  Buffers &all = buffers();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (!all.tags.erase(buffer))
    return; // another tool's
  if (all.spare.size() < MostSpare)
    all.spare.push_back(buffer);
  else {
    std::free(buffer);
    noteOwnMapping(-int64_t(BufferSize));
  }
}

} // namespace gpuinstr::timing
