// Graphs as the auditor sees them: what is captured, added, instantiated and launched.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_GRAPHS_GRAPHCALLS_H
#define GPUINSTR_AUDIT_GRAPHS_GRAPHCALLS_H

#include "audit/state/ThreadAuditState.h"

namespace gpuinstr::audit {

/// A copy or set that a stream under capture got. False: the capture is not known. Without the
/// lock.
bool noteCapturedCopy(const Call &call);
/// Work that is none of these went into a capture: a host function, or anything else.
void noteCapturedHostFunction(uint64_t stream);
/// Into whichever capture is open; hostRuns: it may wait for the host, too.
void noteCapturedUnknown(bool hostRuns);

/// After cudaStreamBeginCapture and cudaStreamEndCapture.
void noteCaptureBegun(ThreadState &thread, uint64_t stream, unsigned detail);
/// `place`: where the graph's handle stands, 0: there is none.
void noteCaptureEnded(ThreadState &thread, uint64_t place);

/// A node was added to a graph, or one was changed.
void noteNode(const Call &call);
/// ... or could not be: what an executable does that was to become another graph, nobody knows.
void noteNodeFailed(const Call &call);
/// Whether an executable becomes another graph as a whole.
bool becomesGraph(const cuda::CallOperands &operands);
/// GRAPH and GRAPH_EXEC, created or destroyed; with the lock held.
void noteGraphCreated(Auditor &a, const cuda::CallOperands &operands, uint64_t handle);
void noteGraphDestroyed(Auditor &a, const cuda::CallOperands &operands);

/// Around the launch of a graph: its kernels may touch what they were given, its copies are judged
/// by the host's witness, charged to the lines that put them into the graph.
void beforeGraphLaunch(const Call &call, ThreadAuditState &local);
void afterGraphLaunch(const Call &call, ThreadAuditState &local);
/// The ShortLooks at captures, at executables that become another graph, and at graphs that go.
/// Null: not at this site's.
const ShortLook *shortLookAtGraph(const gpuinstr_site &site);
/// The ShortLook at launches of graphs that copy nothing: there is nothing to do afterwards.
bool beforeShortGraphLaunch(ThreadState &thread, const gpuinstr_frame &frame);

} // namespace gpuinstr::audit

#endif
