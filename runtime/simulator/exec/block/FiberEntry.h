// Where the stacks of a block begin: what runs on a fresh one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exec/block/BlockRun.h"

#include <boost/context/detail/fcontext.hpp>

namespace gpuinstr::sim {

struct FiberEntry {
  static BlockRun &arrive(boost::context::detail::transfer_t from) {
    auto &b = *static_cast<BlockRun *>(from.data);
    if (b.SaveTo)
      *b.SaveTo = from.fctx;
    return b;
  }
  /// Runs the current thread, and on the same stack each that starts when it has ended.
  static void threads(boost::context::detail::transfer_t from);
  /// Runs whole blocks, threads in a loop.
  static void loops(boost::context::detail::transfer_t from);
  /// Runs a block in steps, as far as it gets.
  static void steps(boost::context::detail::transfer_t from);
};

} // namespace gpuinstr::sim
