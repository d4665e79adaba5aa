// What CUPTI's overhead records say: compiling and loading of device code, and its own cost.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_CUPTI_OVERHEADS_H
#define GPUINSTR_TIME_EXACT_CUPTI_OVERHEADS_H

#include <cstddef>
#include <cstdint>
#include <map>

namespace gpuinstr::timing {

/// CUpti_ActivityOverheadKind.
enum class Overhead : uint32_t {
  Compiler = 1,
  BufferFlush = 1 << 16,
  Instrumentation = 2 << 16,
  Resource = 3 << 16,
  ModuleLoading = 4 << 16,
  LazyLoading = 5 << 16,
  CommandBufferFull = 6 << 16,
  BufferRequest = 7 << 16,
  ManagedMemory = 8 << 16,
};

struct OverheadRecord {
  Overhead kind;
  uint64_t start, end; ///< ns; both 0: not known
};

/// Length of a union of intervals, in bounded memory.
class Spans {
public:
  static constexpr size_t Most = 1024;
  void add(uint64_t start, uint64_t end);
  uint64_t length() const;

private:
  std::map<uint64_t, uint64_t> Open; ///< disjoint: end by start
  uint64_t Settled = 0;              ///< length of those that came out of it, the earliest first
};

/// Not thread-safe: its owner locks. Records of several threads, or one inside another, count once.
class Overheads {
public:
  /// `contextNs`: when the first context was there, UINT64_MAX not yet.
  void add(const OverheadRecord &record, uint64_t contextNs);
  bool any() const { return Any; }

  uint64_t jitNs() const { return Jit.length(); }
  /// Compiling and loading that began after the first context.
  uint64_t loadingNs() const { return Loading.length(); }
  /// CUPTI's own: before and after the first context.
  uint64_t ownStartNs() const { return OwnStart.length(); }
  uint64_t ownNs() const { return Own.length(); }

private:
  bool Any = false;
  Spans Jit, Loading, OwnStart, Own;
};

} // namespace gpuinstr::timing

#endif
