// What a graph does each time it is launched, as far as instrumented calls built it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ORDERING_GRAPHWORK_H
#define GPUINSTR_AUDIT_ORDERING_GRAPHWORK_H

#include "audit/ordering/Ranges.h"
#include "calls/Observer.h"
#include <memory>

namespace gpuinstr::audit {

/// A copy or set of a graph, charged to the line that captured or added it. Calls end and libraries
/// go, graphs stay: it keeps what its operands are read from. What those point to is gone.
struct GraphCopy {
  GraphCopy(const Call &call, const cuda::CallOperands &operands);
  /// As one call of the thread.
  Call call(ThreadState &thread) const;

  struct Kept {
    gpuinstr_frame frame;
    gpuinstr_site site;
  };
  std::shared_ptr<Kept> kept;
  cuda::CallOperands operands;
  SiteIndex site, caller;
};

/// What a kernel of a graph may do to an allocation.
struct GraphTouch {
  Range *range;
  uint64_t serial; ///< of the range then: it may be another one's place by now
  uint8_t access;
};

struct GraphWork {
  std::vector<GraphCopy> copies;
  std::vector<GraphTouch> touches;
  bool follows = false;       ///< a kernel may be led anywhere by what it reads
  bool mayWait = false;       ///< a kernel that is not known to end
  bool keepsVariables = true; ///< no kernel writes a __device__ variable
  bool hostRuns = false;      ///< a host function: it may write the copies' sources
  bool unknown = false;       ///< it may do anything
  bool isWritten(const GraphCopy &copy) const; ///< its source, by another copy of the graph
};

/// Captures, graphs and executables by handle. With the auditor's lock held.
class GraphWorks {
public:
  /// A capture of this number of the driver's begins; `empty`: into a graph of its own.
  void captureBegun(uint64_t capture, bool empty);
  /// What is captured under it. Of one that nobody saw begin, nothing is known.
  GraphWork &captured(uint64_t capture);
  void capturesUnknown(); ///< something unseen may go into any of them
  void captureEnded(uint64_t capture, uint64_t graph);
  void created(uint64_t graph) {
    Graphs.erase(graph);
    Graphs.emplace(graph, GraphWork());
  }
  void cloned(uint64_t graph, uint64_t from);
  void destroyed(uint64_t graph) { Graphs.erase(graph); }
  /// Null: a graph that we did not see being made.
  GraphWork *graph(uint64_t graph) { return find(Graphs, graph); }
  void instantiated(uint64_t executable, uint64_t graph);
  void executableGone(uint64_t executable) { Executables.erase(executable); }
  GraphWork *executable(uint64_t executable) { return find(Executables, executable); }
  /// A node was changed, and nobody says of which graph.
  void nodeChanged();
  void clear();

private:
  using Works = std::unordered_map<uint64_t, GraphWork>;
  static GraphWork *find(Works &works, uint64_t handle);
  Works Captures, Graphs, Executables;
  bool UnknownCaptures = false; ///< since captures were open last
};

} // namespace gpuinstr::audit

#endif
