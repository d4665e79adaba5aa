// Work on the device whose time was not taken: between which moments it ran.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_HTML_UNTIMEDWORK_H
#define GPUINSTR_CLI_HTML_UNTIMEDWORK_H

#include "html/HtmlTimeline.h"
#include "trace/Format.h"
#include <map>

namespace gpuinstr::cli {

struct TraceSite;

/// Of one trace file, whose calls are handed in in their order. Work ran between its call and the
/// next work of its stream that was timed, or the end of a call that waited for it.
class UntimedWork {
public:
  /// Times are ns since `begin`; gaps that are nearer than `distance` become one. Reads the file
  /// once, and leaves it at its first event.
  UntimedWork(TraceFile &file, uint64_t begin, uint64_t distance);

  void note(const trace::Record &call, const TraceSite *site, const HtmlEvent &event);
  /// No more calls: what still runs does so until `end`. By stream.
  const std::map<uint64_t, std::vector<HtmlGap>> &finish(uint64_t end);
  /// Operations so far.
  uint64_t count() const { return Count; }

  /// The handle; the legacy default stream has two names.
  static uint64_t streamOf(const trace::Record &record);

private:
  /// A call whose work was timed, and when that began.
  struct Timed {
    uint64_t correlation, start;
    bool operator<(const Timed &other) const;
  };
  /// Calls of a stream since it was last known to be done.
  struct Wait {
    uint64_t from = 0, last = 0, count = 0;
  };
  void endWait(uint64_t stream, uint64_t end);

  uint64_t Distance, Count = 0;
  std::vector<Timed> AllTimed; ///< sorted
  std::map<uint64_t, Wait> Waiting;
  std::map<uint64_t, std::vector<HtmlGap>> Gaps;
  std::map<uint32_t, bool> Captures; ///< by thread: between the begin and the end of one
};

} // namespace gpuinstr::cli

#endif
