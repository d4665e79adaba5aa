// A round of a program that captures each step anew.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_BENCH_CAPTUREROUND_H
#define GPUINSTR_TEST_BENCH_CAPTUREROUND_H

#include "BenchCalls.h"

namespace gpuinstr::bench {

/// One launch is captured, a graph that is there already becomes what was captured, is launched and
/// waited for. Each call goes through `Driver`. Outlives the runtime, whose report reads the sites.
template <void (*Driver)()> class CaptureRound {
public:
  CaptureRound() { Update.detail = WholeUpdate; }

  /// Without a table: the driver alone.
  template <class Launch> void run(const gpuinstr_table *table, Launch launch) {
    begin(table);
    launch();
    const uint64_t graph = end(table);
    if (Executable) {
      call(table, Update, {{GPUINSTR_SLOT_DST, Executable}, {GPUINSTR_SLOT_SRC, graph}}, Driver);
    } else {
      uint64_t made = 0xe000;
      call(table, Instantiate,
           {{GPUINSTR_SLOT_DST, reinterpret_cast<uint64_t>(&made)}, {GPUINSTR_SLOT_SRC, graph}},
           Driver);
      Executable = made;
    }
    call(table, Destroy, {{GPUINSTR_SLOT_DST, graph}}, Driver);
    launchGraph(table);
    call(table, Synchronize, {{GPUINSTR_SLOT_STREAM, CapturedStream}}, Driver);
  }
  /// Of the last round.
  void launchGraph(const gpuinstr_table *table) {
    call(table, LaunchGraph,
         {{GPUINSTR_SLOT_DST, Executable}, {GPUINSTR_SLOT_STREAM, CapturedStream}}, Driver);
  }
  void begin(const gpuinstr_table *table) {
    call(table, Begin, {{GPUINSTR_SLOT_STREAM, CapturedStream}, {GPUINSTR_SLOT_KIND, 1}}, [] {
      Driver();
      setCapturing(true);
    });
  }
  /// The graph's handle. A driver gives the same ones again.
  uint64_t end(const gpuinstr_table *table) {
    const uint64_t graph = 0x9000 + 64 * (Rounds++ % 4);
    call(table, End,
         {{GPUINSTR_SLOT_STREAM, CapturedStream},
          {GPUINSTR_SLOT_DST, reinterpret_cast<uint64_t>(&graph)}},
         [] {
           Driver();
           setCapturing(false);
         });
    return graph;
  }

private:
  static constexpr unsigned WholeUpdate = 2; ///< detail of cudaGraphExecUpdate: CudaApi.def
  static constexpr uint32_t Dst = bit(GPUINSTR_SLOT_DST), Src = bit(GPUINSTR_SLOT_SRC),
                            Stream = bit(GPUINSTR_SLOT_STREAM), Flags = GPUINSTR_SITE_CUDA_ERROR;
  uint64_t Executable = 0;
  unsigned Rounds = 0;
  gpuinstr_site Begin =
      makeSite(GPUINSTR_OP_CAPTURE_BEGIN, 20, Flags, Stream | bit(GPUINSTR_SLOT_KIND));
  gpuinstr_site End = makeSite(GPUINSTR_OP_CAPTURE_END, 21, Flags, Stream | Dst);
  gpuinstr_site Instantiate =
      makeSite(GPUINSTR_OP_CREATE, 22, Flags, Dst | Src, GPUINSTR_RES_GRAPH_EXEC);
  gpuinstr_site Update = makeSite(GPUINSTR_OP_GRAPH_NODE, 23, Flags, Dst | Src);
  gpuinstr_site Destroy = makeSite(GPUINSTR_OP_DESTROY, 24, Flags, Dst, GPUINSTR_RES_GRAPH);
  gpuinstr_site LaunchGraph =
      makeSite(GPUINSTR_OP_GRAPH_LAUNCH, 25, Flags | GPUINSTR_SITE_ASYNC, Dst | Stream);
  gpuinstr_site Synchronize = makeSite(GPUINSTR_OP_SYNC_STREAM, 26, Flags, Stream);
};

} // namespace gpuinstr::bench

#endif
