// The program's own ranges, as phases of the report.
// SPDX-License-Identifier: Apache-2.0
//
// Wide text may be of another width than ours (-fshort-wchar), and without a tool NVTX has no
// handle by which a registered text could be known: such ranges have no name here.
#include "nvtx/PhaseRanges.h"
#include "base/Guard.h"
#include "base/ProcessState.h"
#include "calls/threads/Thread.h"
#include "gpuinstr/abi.h"

namespace gpuinstr {

namespace {

/// The runtime's own work on this thread, and nothing that throws into the program.
template <class Work> void onThread(Work work) {
  ThreadState *thread = isDisabled() ? nullptr : thisThread();
  if (!thread || thread->busy)
    return;
  BusyScope busy(*thread);
  guarded([&] { work(*thread); });
}

std::string_view textOf(const char *text) { return text ? text : std::string_view(); }

std::string_view nameOf(uint32_t what, const void *message) {
  if (what == GPUINSTR_NVTX_PUSH_A)
    return textOf(static_cast<const char *>(message));
  auto *attributes = static_cast<const NvtxAttributes *>(message);
  if (what == GPUINSTR_NVTX_PUSH_EX && attributes && attributes->size >= sizeof(NvtxAttributes) &&
      attributes->messageType == NvtxAttributes::Ascii)
    return textOf(static_cast<const char *>(attributes->message));
  return {};
}

} // namespace

void phasePushed(const char *name) {
  onThread([&](ThreadState &thread) { beginPhase(thread, textOf(name), OwnRanges); });
}

void phasePopped() {
  onThread([](ThreadState &thread) { endPhase(thread, OwnRanges); });
}

void phaseOfNvtx(uint32_t what, const void *message, uint64_t value) {
  onThread([&](ThreadState &thread) {
    if (what == GPUINSTR_NVTX_POP)
      endPhase(thread, value);
    else
      beginPhase(thread, nameOf(what, message), value);
  });
}

} // namespace gpuinstr
