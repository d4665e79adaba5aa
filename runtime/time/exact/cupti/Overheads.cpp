// What CUPTI's overhead records say: compiling and loading of device code, and its own cost.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/cupti/Overheads.h"
#include <algorithm>
#include <iterator>

namespace gpuinstr::timing {

void Spans::add(uint64_t start, uint64_t end) {
  if (end <= start)
    return;
  auto at = Open.upper_bound(start);
  if (at != Open.begin() && std::prev(at)->second >= start)
    --at;
  while (at != Open.end() && at->first <= end) {
    start = std::min(start, at->first);
    end = std::max(end, at->second);
    at = Open.erase(at);
  }
  Open.emplace(start, end);
  if (Open.size() <= Most)
    return;
  for (size_t i = 0; i < Most / 2; ++i) {
    Settled += Open.begin()->second - Open.begin()->first;
    Open.erase(Open.begin());
  }
}

uint64_t Spans::length() const {
  uint64_t sum = Settled;
  for (const auto &span : Open)
    sum += span.second - span.first;
  return sum;
}

void Overheads::add(const OverheadRecord &record, uint64_t contextNs) {
  Any = true;
  bool later = record.start >= contextNs;
  switch (record.kind) {
  case Overhead::Compiler:
    Jit.add(record.start, record.end);
    [[fallthrough]];
  case Overhead::ModuleLoading:
  case Overhead::LazyLoading:
    if (later) // else it is part of the context's time
      Loading.add(record.start, record.end);
    return;
  case Overhead::BufferFlush:
  case Overhead::Instrumentation:
  case Overhead::Resource:
  case Overhead::BufferRequest:
  case Overhead::ManagedMemory:
    (later ? Own : OwnStart).add(record.start, record.end);
    return;
  case Overhead::CommandBufferFull: // the program is faster than the device
    return;
  }
}

} // namespace gpuinstr::timing
