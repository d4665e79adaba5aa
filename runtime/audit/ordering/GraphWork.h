// What a graph does each time it is launched, as far as instrumented calls built it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ORDERING_GRAPHWORK_H
#define GPUINSTR_AUDIT_ORDERING_GRAPHWORK_H

#include "audit/ordering/AuditHotState.h"
#include "audit/ordering/Ranges.h"
#include "calls/Observer.h"
#include "ledger/HandleTable.h"
#include <atomic>
#include <bitset>
#include <memory>
#include <vector>

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
  uint32_t copies = 0;          ///< of the graph that were captured before the kernel
  uint64_t base = 0, bytes = 0; ///< of the range then: what lies there now, the graph touches
  bool operator==(const GraphTouch &o) const {
    return range == o.range && serial == o.serial && access == o.access && copies == o.copies;
  }
};

struct GraphWork {
  static constexpr size_t MostCopies = 256;
  using CopySet = std::bitset<MostCopies>; ///< of its copies, by number

  std::vector<GraphCopy> copies; ///< of more it is unknown
  std::vector<GraphTouch> touches;
  bool follows = false;       ///< a kernel may be led anywhere by what it reads
  bool mayWait = false;       ///< a kernel that is not known to end
  bool keepsVariables = true; ///< no kernel writes a __device__ variable
  bool hostRuns = false;      ///< a host function: it may write the copies' sources
  bool unknown = false;       ///< it may do anything
  bool isLoose = false;       ///< edges were taken away: nothing says what comes before what
  bool holdsGraph = false;    ///< whose copy of its own may be changed by a handle that nobody saw
  CopySet beforeHost;         ///< of a graph that calls the host: those that all its calls wait for
  /// A host function comes behind these copies, and maybe behind others.
  void noteHost(CopySet copiesBefore);
  /// It comes in the capture of that stream, behind the stream's copies; 0: in any place.
  void noteHostFunction(uint64_t stream);
  void noteEdgesRemoved();
  /// No host function of the graph can have run when the copy, one of its own, reads.
  bool isBeforeHost(const GraphCopy &copy) const;

  /// Of a node that is added by hand: the copies that it comes behind, as far as known.
  CopySet copiesBehind(const uint64_t *nodes, size_t count) const;
  /// They, its own among them, have ended when it has.
  void noteNode(uint64_t node, const CopySet &ended);
  /// All of that graph, behind these copies. Returns them and its own.
  CopySet addGraph(const GraphWork &child, const CopySet &behind);
  bool isWritten(const GraphCopy &copy) const; ///< its source, by another copy of the graph
  /// Unless one of the last says the same: loops launch the same kernels again and again.
  void noteTouch(GraphTouch touch);
  /// A launch of it does nothing to any allocation that we know.
  bool isPlain() const { return copies.empty() && touches.empty() && keepsVariables && !follows; }
  void clear();

  struct Node {
    uint64_t handle;
    CopySet ended;
  };
  std::vector<Node> nodes; ///< that come behind copies, or are some; until nodeChanged()
};

/// The capture that launches are known to go into: scheduling/CaptureTrust.h. With the auditor's
/// lock held.
struct CaptureTrust {
  uint64_t capture = 0;                ///< the driver's number
  const ThreadState *thread = nullptr; ///< that launched into it
  bool byOthers = false;               ///< others as well: one may launch while another ends it

  static bool isOn() { return AuditHot.trustsCapture.load(std::memory_order_relaxed); }
};

/// Captures, graphs and executables by handle. With the auditor's lock held. A graph and what was
/// instantiated from it share their work until one of them changes.
class GraphWorks {
public:
  using Work = std::shared_ptr<GraphWork>;

  /// A capture of this number of the driver's begins; `empty`: into a graph of its own.
  void captureBegun(uint64_t capture, bool empty);
  /// What is captured under it. Of one that nobody saw begin, nothing is known.
  GraphWork &captured(uint64_t capture);
  /// Something unseen may go into any of them; hostRuns: it may wait for the host as well.
  void capturesUnknown(bool hostRuns);
  void captureEnded(uint64_t capture, uint64_t graph);
  void created(uint64_t graph) { set(Graphs, graph, make()); }
  void cloned(uint64_t graph, uint64_t from);
  void destroyed(uint64_t graph) { set(Graphs, graph, nullptr); }
  /// What is known of it now. Null: nothing.
  Work known(uint64_t graph) const { return find(Graphs, graph); }
  /// Something was changed in a graph that we did not see being made: the copy of its own that a
  /// graph holds, it may be.
  void heldChanged();
  /// To be changed. Null: a graph that we did not see being made.
  GraphWork *graph(uint64_t graph);
  void instantiated(uint64_t executable, uint64_t graph);
  void became(uint64_t executable, uint64_t graph); ///< one that was instantiated before
  /// There is one that kernels may launch: whatever graphs are given, any launch may reach.
  void kernelsLaunch();
  void executableGone(uint64_t executable);
  /// Without the lock: nothing is known of it, and executableGone() was told so of late.
  bool isKnownAsGone(uint64_t executable) const {
    return executable && !KernelsLaunch.load() &&
           goneSlot(executable).load(std::memory_order_relaxed) == executable;
  }
  std::shared_ptr<const GraphWork> executable(uint64_t executable) const {
    return find(Executables, executable);
  }
  /// A node was changed, and nobody says of which graph.
  void nodeChanged();
  /// Anything may have been changed: nothing is known of graphs and executables.
  void allChanged();
  void clear();

private:
  using Works = HandleTable<uint64_t, Work>;
  struct Capture {
    uint64_t number;
    Work work;
  };
  static Work find(const Works &works, uint64_t handle);
  std::vector<Capture>::iterator findCapture(uint64_t number);
  /// In place of what the handle had. Null: nothing is known of it.
  void set(Works &works, uint64_t handle, Work work);
  static GraphWork &own(Work &work);
  Work make();
  void noteGiven() const;
  void drop(Work work);

  /// Executables whose nodes are changed before each launch are gone each time.
  static constexpr unsigned GoneBits = 3;
  std::atomic<uint64_t> &goneSlot(uint64_t executable) const {
    return Gone[executable * 0x9e3779b97f4a7c15u >> (64 - GoneBits)];
  }
  alignas(64) mutable std::atomic<uint64_t> Gone[1 << GoneBits] = {};

  std::vector<Capture> Captures; ///< open ones, mostly one; the newest are last
  Works Graphs, Executables;
  std::vector<Work> Spare;      ///< of nobody
  bool UnknownCaptures = false; ///< since captures were open last
  std::atomic<bool> KernelsLaunch{false};
};

} // namespace gpuinstr::audit

#endif
