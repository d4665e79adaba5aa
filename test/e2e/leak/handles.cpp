// Streams and events that nobody destroys are leaks; a graph holds nothing of size by itself.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=stream variable=streams[i] line=@stream count=3
// EXPECT: leak proven memory=stream variable=priority line=@priority count=1
// EXPECT: leak proven memory=event variable=start line=@event count=1
// EXPECT: leak proven memory=event variable=stop line=@eventflags count=1
// EXPECT-NO: leak memory=graph*
// EXPECT-SITE: kind=create memory=graph variable=graph line=@graph calls=1
// EXPECT-SITE: kind=create memory=graph-exec variable=exec line=@exec calls=1
// EXPECT-ALL
// EXPECT-TOTAL: memory=device count=0 bytes=0
#include "../Inputs/check.h"

#include <cuda_runtime.h>

int main() {
  cudaStream_t streams[4], priority;
  for (int i = 0; i < 4; ++i)
    CHECK(cudaStreamCreate(&streams[i])); // @stream
  CHECK(cudaStreamCreateWithPriority(&priority, cudaStreamNonBlocking, 0)); // @priority
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start)); // @event
  CHECK(cudaEventCreateWithFlags(&stop, cudaEventDisableTiming)); // @eventflags
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0)); // @graph
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0)); // @exec
  CHECK(cudaStreamDestroy(streams[0]));
#ifdef FIXED
  for (int i = 1; i < 4; ++i)
    CHECK(cudaStreamDestroy(streams[i]));
  CHECK(cudaStreamDestroy(priority));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
#endif
  puts("done");
}
