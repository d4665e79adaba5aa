// One launch of an embedded kernel: what its blocks share while they run.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/GridRun.h"

#include <cstdio>

namespace gpuinstr::sim {

namespace {

std::atomic<uint64_t> NextGridId{1};

uint64_t product(const std::array<unsigned, 3> &three) {
  return uint64_t(three[0]) * three[1] * three[2];
}

} // namespace

GridRun::GridRun(const EmbeddedKernel &kernel, void *const *arguments, const GridShape &shape,
                 DeviceOutput &output)
    : kernel(kernel), arguments(arguments), shape(shape), output(output),
      threads(static_cast<uint32_t>(product(shape.block))), blocks(product(shape.grid)),
      id(NextGridId++) {}

void GridRun::fail(CUresult why, const std::string &text) {
  std::lock_guard<std::mutex> l(M);
  if (Failed)
    return;
  Error = why;
  if (!text.empty())
    std::fprintf(stderr, "gpuinstr simulator: kernel %s: %s\n",
                 readableName(kernel.record->name).c_str(), text.c_str());
  Failed = true;
}

void GridRun::keepOutput(uint64_t block, std::vector<OutputPiece> &&pieces) {
  std::lock_guard<std::mutex> l(M);
  auto &kept = Printed[block];
  for (OutputPiece &piece : pieces)
    kept.push_back(std::move(piece));
}

void GridRun::finish() {
  for (auto &block : Printed)
    output.add(std::move(block.second), shape.printBytes);
  Printed.clear();
}

} // namespace gpuinstr::sim
