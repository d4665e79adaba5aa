// Which lines a graph's nodes were captured from.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/NodeLines.h"
#include <algorithm>

namespace gpuinstr::timing {

uint64_t NodeLines::begin() { return ++Last; }

void NodeLines::add(uint64_t capture, const CapturedOp &op) {
  if (Kept >= Most)
    return;
  ++Kept;
  Captures[capture].push_back(op);
}

bool NodeLines::looksLike(const CapturedOp &op, const DeviceRecord &record) {
  if (op.asked == Asked::Copy || op.asked == Asked::Set)
    return record.done == (op.asked == Asked::Copy ? Done::Copy : Done::Set) &&
           (op.what == 0 || op.what == record.bytes);
  if (op.asked != Asked::Kernel || record.done != Done::Kernel || op.shape != record.shape)
    return false;
  auto name = Names.find(op.what);
  if (name == Names.end())
    name = Names.emplace(op.what, Namer ? Namer(op.what) : std::string()).first;
  return namesKernel(record.name, name->second);
}

std::vector<SiteIndex> NodeLines::sitesOf(const DeviceRecord *records, size_t count) {
  std::vector<SiteIndex> sites(count, 0);
  std::vector<size_t> order;
  bool allKnown = true;
  for (size_t i = 0; i < count; ++i) {
    auto node = Nodes.find(records[i].graphNode);
    if (node == Nodes.end())
      allKnown = false;
    else
      sites[i] = node->second;
    order.push_back(i);
  }
  if (allKnown)
    return sites;
  // Nodes are numbered as they were made, and a capture makes them in the order of the calls.
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return records[a].graphNode < records[b].graphNode; });
  for (auto capture = Captures.rbegin(); capture != Captures.rend(); ++capture) {
    const std::vector<CapturedOp> &ops = capture->second;
    bool same = ops.size() == count;
    for (size_t i = 0; same && i < count; ++i)
      same = looksLike(ops[i], records[order[i]]);
    if (!same)
      continue;
    for (size_t i = 0; i < count; ++i)
      sites[order[i]] = ops[i].site;
    break;
  }
  for (size_t i = 0; i < count; ++i) {
    for (auto c = Captures.rbegin(); c != Captures.rend() && !sites[i]; ++c)
      for (const CapturedOp &op : c->second)
        if (looksLike(op, records[i])) {
          sites[i] = op.site;
          break;
        }
    if (Nodes.size() < Most)
      Nodes[records[i].graphNode] = sites[i];
  }
  return sites;
}

} // namespace gpuinstr::timing
