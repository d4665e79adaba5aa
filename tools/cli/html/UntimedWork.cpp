// Work on the device whose time was not taken: between which moments it ran.
// SPDX-License-Identifier: Apache-2.0
#include "html/UntimedWork.h"
#include "gpuinstr/abi.h"
#include "trace/TraceFile.h"
#include <algorithm>
#include <tuple>

namespace gpuinstr::cli {

using trace::Record;
using trace::RecordType;

namespace {

/// Starts work on the device, as far as a record tells.
bool startsWork(const Record &record) {
  if (record.flags & trace::Failed)
    return false;
  if (record.op == GPUINSTR_OP_LAUNCH || record.op == GPUINSTR_OP_GRAPH_LAUNCH)
    return true;
  return record.op >= GPUINSTR_OP_COPY && record.op <= GPUINSTR_OP_SET_3D && record.bytes &&
         record.memory.direction != trace::Direction::HostToHost;
}

/// Returns when what it copied is there.
bool waitsForCopy(const Record &record, const TraceSite *site) {
  return record.op >= GPUINSTR_OP_COPY && record.op <= GPUINSTR_OP_COPY_BATCH &&
         record.memory.direction == trace::Direction::DeviceToHost && site &&
         site->callee.find("Async") == std::string::npos;
}

} // namespace

bool UntimedWork::Timed::operator<(const Timed &other) const {
  return std::tie(correlation, start) < std::tie(other.correlation, other.start);
}

UntimedWork::UntimedWork(TraceFile &file, uint64_t begin, uint64_t distance) : Distance(distance) {
  TraceEvent event;
  file.rewind();
  while (file.next(event))
    if (event.record.type == RecordType::Device && event.record.correlation)
      AllTimed.push_back(
          {event.record.correlation, event.startNs - std::min(begin, event.startNs)});
  std::sort(AllTimed.begin(), AllTimed.end());
  file.rewind();
}

uint64_t UntimedWork::streamOf(const Record &record) {
  bool legacy = record.stream <= 1 && !(record.flags & trace::StreamId);
  return legacy ? 0 : record.stream;
}

void UntimedWork::note(const Record &call, const TraceSite *site, const HtmlEvent &event) {
  uint64_t stream = streamOf(call), end = event.start + event.duration;
  bool &captures = Captures[call.thread];
  if (call.op == GPUINSTR_OP_CAPTURE_BEGIN || call.op == GPUINSTR_OP_CAPTURE_END)
    captures = call.op == GPUINSTR_OP_CAPTURE_BEGIN;
  if (startsWork(call) && !captures) { // what goes into a graph runs with the graph
    auto timed = std::lower_bound(AllTimed.begin(), AllTimed.end(), Timed{call.correlation, 0});
    if (timed != AllTimed.end() && timed->correlation == call.correlation) {
      endWait(stream, timed->start);
    } else {
      ++Count;
      Wait &wait = Waiting[stream];
      wait.from = wait.count++ ? wait.from : event.start;
      wait.last = event.start;
    }
    if (waitsForCopy(call, site))
      endWait(stream, end);
  }
  if (call.op == GPUINSTR_OP_SYNC_STREAM)
    endWait(stream, end);
  if (call.op == GPUINSTR_OP_SYNC_DEVICE)
    for (auto &entry : Waiting)
      endWait(entry.first, end);
}

const std::map<uint64_t, std::vector<HtmlGap>> &UntimedWork::finish(uint64_t end) {
  for (auto &entry : Waiting)
    endWait(entry.first, end);
  return Gaps;
}

void UntimedWork::endWait(uint64_t stream, uint64_t end) {
  auto found = Waiting.find(stream);
  if (found == Waiting.end() || !found->second.count)
    return;
  Wait &wait = found->second;
  addGap(Gaps[stream], {HtmlGap::NotTimed, wait.from, std::max(end, wait.last), wait.count},
         Distance);
  wait = {};
}

} // namespace gpuinstr::cli
