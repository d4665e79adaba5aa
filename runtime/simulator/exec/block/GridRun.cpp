// One launch of an embedded kernel: what its blocks share while they run.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/GridRun.h"

#include <cstdio>

namespace gpuinstr::sim {

namespace {

std::atomic<uint64_t> NextGridId{1};

uint64_t product(const std::array<unsigned, 3> &Three) {
  return uint64_t(Three[0]) * Three[1] * Three[2];
}

} // namespace

GridRun::GridRun(const EmbeddedKernel &Kernel, void *const *Arguments, const GridShape &Shape,
                 DeviceOutput &Output)
    : Kernel(Kernel), Arguments(Arguments), Shape(Shape), Output(Output),
      Threads(static_cast<uint32_t>(product(Shape.Block))), Blocks(product(Shape.Grid)),
      Id(NextGridId++) {}

void GridRun::fail(CUresult Why, const std::string &Text) {
  std::lock_guard<std::mutex> L(M);
  if (Failed)
    return;
  Error = Why;
  if (!Text.empty())
    std::fprintf(stderr, "gpuinstr simulator: kernel %s: %s\n",
                 readableName(Kernel.Record->name).c_str(), Text.c_str());
  Failed = true;
}

void GridRun::keepOutput(uint64_t Block, std::vector<OutputPiece> &&Pieces) {
  std::lock_guard<std::mutex> L(M);
  auto &Kept = Printed[Block];
  for (OutputPiece &Piece : Pieces)
    Kept.push_back(std::move(Piece));
}

void GridRun::finish() {
  for (auto &Block : Printed)
    Output.add(std::move(Block.second), Shape.PrintBytes);
  Printed.clear();
}

} // namespace gpuinstr::sim
