// Which lines a graph's nodes were captured from.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_NODELINES_H
#define GPUINSTR_TIME_EXACT_NODELINES_H

#include "time/exact/RecordMatcher.h"

namespace gpuinstr::timing {

/// An operation that went into a graph, as its call looked.
struct CapturedOp {
  SiteIndex site = 0;
  Asked asked = Asked::Kernel;
  uint32_t shape = 0;
  uint64_t what = 0; ///< as in LogEntry
};

/// Not thread-safe: its owner locks.
class NodeLines {
public:
  explicit NodeLines(KernelNamer namer) : Namer(namer) {}

  /// A capture begins: the operations that follow are one graph's. Its number.
  uint64_t begin();
  void add(uint64_t capture, const CapturedOp &op);

  /// The site of each record of one graph launch, 0 unknown. A capture that has the graph's very
  /// sequence of nodes is the one; else each node goes to the latest operation of its looks.
  std::vector<SiteIndex> sitesOf(const DeviceRecord *records, size_t count);

private:
  /// Operations kept; captures beyond that are not remembered.
  static constexpr size_t Most = 1 << 16;

  bool looksLike(const CapturedOp &op, const DeviceRecord &record);

  KernelNamer Namer;
  std::map<uint64_t, std::vector<CapturedOp>> Captures;
  uint64_t Last = 0;
  size_t Kept = 0;
  std::unordered_map<uint64_t, std::string> Names;
  /// By node: graphs are instantiated once and launched often.
  std::unordered_map<uint64_t, SiteIndex> Nodes;
};

} // namespace gpuinstr::timing

#endif
