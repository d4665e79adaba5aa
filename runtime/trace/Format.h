// The trace file's layout (docs/design/trace-file.md): what the runtime writes and the command line
// reads. SPDX-License-Identifier: Apache-2.0
//
// Little-endian, everything aligned to 8 bytes. A header, then blocks; a block is whole or is not
// read. The file is only ever appended to, so a killed process leaves all blocks that it wrote.
#ifndef GPUINSTR_TRACE_FORMAT_H
#define GPUINSTR_TRACE_FORMAT_H

#include "cuda/operands/DeviceWorkKind.h"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpuinstr::trace {

constexpr char Magic[8] = {'G', 'P', 'I', 'T', 'R', 'A', 'C', 'E'};
/// Raised when the meaning of anything below changes. New block types and larger records are no
/// such change: readers pass over what they do not know.
constexpr uint32_t Version = 1;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t headerBytes; ///< of this header: the first block follows
  uint32_t recordBytes; ///< from record to record
  uint32_t reserved;
  uint64_t reserved2;
};
static_assert(sizeof(FileHeader) == 32, "on disk");

enum class BlockType : uint32_t {
  Process = 1, ///< ProcessEntry, then strings: host, command line, version
  Clock = 2,   ///< ClockEntry
  Site = 3,    ///< SiteEntry, then strings: file, function, callee, variable, type, arguments...
  Name = 4,    ///< NameEntry, then its string: kernels and user ranges
  Thread = 5,  ///< ThreadEntry, then its name
  Device = 6,  ///< DeviceEntry, then its name
  Records = 7, ///< `count` records
  End = 8,     ///< ClockEntry: the process ended in order; nothing follows
  Thinned = 9, ///< ThinnedEntry: calls that were left out, by site; just before the end
  Power = 10,  ///< `count` PowerEntries
};

struct BlockHeader {
  uint32_t type;
  uint32_t bytes; ///< of the payload, a multiple of 8, at most MaxBlockBytes
  uint32_t count; ///< entries in the payload
  uint32_t checksum;
};
static_assert(sizeof(BlockHeader) == 16, "on disk");
constexpr uint32_t MaxBlockBytes = 4u << 20;

// Entries of blocks. A string is its length in 4 bytes and its bytes, not ended; each entry with
// its strings is padded to 8 bytes.

struct ProcessEntry {
  uint32_t pid;
  int32_t rank; ///< -1: no launcher
  uint64_t reserved;
};

/// One moment on three clocks, and what was written until then.
struct ClockEntry {
  uint64_t ticks; ///< the clock of host records
  uint64_t monotonicNs, realtimeNs;
  uint64_t records, lost;
  uint64_t thinned; ///< left out to stay within `budget`; missing in older files
};

struct SiteEntry {
  uint32_t index, line, column, flags; ///< flags: gpuinstr_site_flags
  uint16_t op, resource, detail, numArguments;
  uint64_t id;
};
struct ThinnedEntry {
  uint32_t site, reserved;
  uint64_t records;
};
/// What the driver says of a whole device at one moment; 0 unknown.
struct PowerEntry {
  uint64_t ns; ///< CLOCK_MONOTONIC
  uint32_t device, milliwatts, smMhz;
  int32_t busyPercent; ///< -1 unknown
};
struct NameEntry {
  uint32_t index, reserved;
};
struct ThreadEntry {
  uint32_t index, tid;
};
struct DeviceEntry {
  uint32_t ordinal, reserved;
  uint64_t memory; ///< bytes
};

enum class RecordType : uint8_t {
  Host = 1,   ///< a call, on the thread that made it; ticks
  Device = 2, ///< work on the device; ns of CLOCK_MONOTONIC, ticks where Estimated
  Range = 3,  ///< a user's range (gpuinstr_push_range); ticks, `name` is its text
};

enum RecordFlags : uint8_t {
  Failed = 1,    ///< `result` is an error
  Nested = 2,    ///< inside another call of the same thread, whose record follows
  Estimated = 4, ///< device times from an event pair, in ticks, good to `doubtNs`
  StreamId = 8,  ///< `stream` is CUPTI's number and no handle
  GraphNode = 16 ///< device work inside a graph launch
};

using Direction = cuda::CopyDirection;
using HostMemory = cuda::HostMemoryKind;

struct LaunchOperands {
  uint32_t grid[3];
  uint16_t block[3];
  uint16_t registers; ///< a thread's; 0 unknown
  uint32_t shared;    ///< dynamic, bytes
};
struct MemoryOperands {
  uint64_t dst, src; ///< addresses; of allocations and frees `dst`
  Direction direction;
  HostMemory memory;
  uint16_t reserved;
  uint32_t value; ///< of a set
};

constexpr uint16_t NoDevice = 0xffff;

struct Record {
  uint64_t start, end; ///< see RecordType
  uint32_t site;       ///< 0 none
  uint32_t caller;     ///< the line that called the site's function; 0 unknown
  uint32_t thread;     ///< of the host record; of device work 0 unknown
  uint32_t name;       ///< kernel or range; 0 none
  /// Joins a host record and the work that it started; unique in the file, 0 none.
  uint64_t correlation;
  uint64_t bytes;  ///< moved, set or allocated
  uint64_t stream; ///< handle as passed; 0 and 1 the legacy default stream, 2 the thread's
  RecordType type;
  uint8_t op, resource, flags; ///< gpuinstr_op, gpuinstr_resource, RecordFlags
  int32_t result;              ///< a cudaError_t or CUresult
  union {
    LaunchOperands launch; ///< op LAUNCH
    MemoryOperands memory; ///< others
  };
  uint16_t device;        ///< ordinal or NoDevice
  uint16_t leftOutInside; ///< of a call: calls inside it that were left out, at most 65535
  union {
    uint32_t doubtNs;       ///< of device work
    uint32_t leftOutBefore; ///< of a call: calls left out since the thread's last outermost one
  };
};
static_assert(sizeof(Record) == 96 && offsetof(Record, launch) == 64, "on disk");
static_assert(offsetof(Record, leftOutInside) == 90 && offsetof(Record, doubtNs) == 92, "on disk");

/// Over the payload and the header's other fields.
inline uint32_t checksum(const BlockHeader &header, const void *payload) {
  uint64_t hash = (uint64_t(header.type) << 32 | header.bytes) ^ uint64_t(header.count) << 16;
  auto *bytes = static_cast<const char *>(payload);
  for (uint32_t i = 0; i + 8 <= header.bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return uint32_t(hash);
}

} // namespace gpuinstr::trace

#endif
