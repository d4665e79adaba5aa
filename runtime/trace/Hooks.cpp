// What the program is connected to in place of enter and leave while it is traced.
// SPDX-License-Identifier: Apache-2.0
#include "trace/Hooks.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/Entry.h"
#include "calls/sites/CallerRows.h"
#include "calls/sites/Sites.h"
#include "calls/threads/DecodedOperands.h"
#include "cuda/Driver.h"
#include "cuda/errors/ErrorNames.h"
#include "cuda/operands/CallOperands.h"
#include "cuda/operands/DeviceWorkKind.h"
#include "trace/Describe.h"
#include "trace/Trace.h"
#include <algorithm>
#include <utility>

namespace gpuinstr::trace {

namespace {

/// One record in so many is timed, for the tool's own cost.
constexpr uint64_t MeasureEvery = 64;

double nsOfTick() {
  static const double ns = nsPerTick(); // good to a few parts in 10^4 is enough for costs
  return ns;
}

/// The number of the launched kernel's name. A launch of another kernel than the last few takes a
/// lock and asks for the name.
uint32_t kernelNumber(ThreadState &thread, Buffer &buffer, uint64_t function, bool driver) {
  if (!function)
    return 0;
  Buffer::Kernel &known = buffer.kernels[(function >> 4 ^ function >> 12) % Buffer::Kernels];
  if (__builtin_expect(known.function == function, true))
    return known.name;
  BusyScope busy(thread);
  guarded([&] {
    std::string name = kernelName(reinterpret_cast<const void *>(function));
    if (name.empty())
      name = driverKernelName(function, driver);
    known.name = name.empty() ? 0 : nameNumber(name);
    known.function = function;
  });
  return known.function == function ? known.name : 0;
}

void describeLaunch(ThreadState &thread, Buffer &buffer, const cuda::CallOperands &operation,
                    Record &record) {
  const cuda::LaunchConfig &launch = operation.launch;
  record.launch = {};
  if (!launch.known)
    return;
  for (int i = 0; i < 3; ++i) {
    record.launch.grid[i] = launch.grid[i];
    record.launch.block[i] = uint16_t(std::min<uint32_t>(launch.block[i], 0xffff));
  }
  record.launch.shared = launch.shared;
  record.name =
      kernelNumber(thread, buffer, launch.function, operation.flags & GPUINSTR_SITE_DRIVER);
}

void describeMemory(const cuda::CallOperands &operation, bool failed, Record &record) {
  record.memory = {};
  record.bytes = operation.bytes;
  record.memory.dst = operation.dst.address;
  record.memory.src = operation.src.address;
  unsigned op = operation.op;
  if (op == GPUINSTR_OP_ALLOC && !failed) {
    const cuda::Made made = resultOf(operation); // pitched memory learns its size by it
    record.memory.dst = made.address;
    record.bytes = made.bytes;
  } else if (op == GPUINSTR_OP_SET || op == GPUINSTR_OP_SET_2D) {
    record.memory.value = uint32_t(operation.slot(GPUINSTR_SLOT_KIND));
  } else if (op >= GPUINSTR_OP_COPY && op <= GPUINSTR_OP_COPY_BATCH) {
    record.memory.direction = operation.direction;
  }
}

/// Operands belong to the innermost call, times and lines to the outermost wrapper of it.
bool isWrappedBy(const gpuinstr_site &site, const gpuinstr_site &parent) {
  return parent.op == site.op ||
         (parent.op == GPUINSTR_OP_LAUNCH && (site.flags & GPUINSTR_SITE_INNER));
}

bool isWorthARecord(const gpuinstr_site &site) {
  return site.op != GPUINSTR_OP_CALLER && site.op != GPUINSTR_OP_REGION;
}

/// What makes and ends memory is always recorded: one without the other says something wrong.
bool isPaired(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_ALLOC || site.op == GPUINSTR_OP_FREE;
}

/// A call inside another one, once the budget is used up. The rest of that one's calls go as well,
/// and their device work is joined to it.
bool leftOutInside(ThreadState &thread, Buffer &buffer, const gpuinstr_site &site) {
  if (isPaired(site) || (!buffer.leftOutInside && buffer.sampling.affords()))
    return false;
  ++buffer.leftOutInside;
  BusyScope busy(thread);
  buffer.sampling.dropped(indexOf(&site));
  return true;
}

/// How many were left out since the last one, and in here.
void noteLeftOut(Buffer &buffer, Record &record) {
  record.leftOutBefore = std::exchange(buffer.leftOutBefore, 0);
  record.leftOutInside = uint16_t(std::min<uint32_t>(buffer.leftOutInside, 0xffff));
  buffer.leftOutInside = 0;
}

void note(ThreadState &thread, const gpuinstr_frame &frame, int64_t result, uint64_t end) {
  const gpuinstr_site &site = *frame.site;
  const RootCall &root = thread.root;
  if (root.counters == &thread.discard) // paused
    return;
  Buffer *buffer = bufferOf(thread);
  if (!buffer)
    return;
  bool nested = thread.depth != 0;
  constexpr uint32_t Status =
      GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;
  int32_t status = site.flags & Status ? int32_t(result) : 0;
  if (nested) {
    if (!isWorthARecord(site))
      return;
    if (isWrappedBy(site, *thread.frames[thread.depth - 1].site)) {
      if (!site.slots)
        return;
      buffer->stash = {};
      describe(thread, *buffer, frame, status != 0, buffer->stash);
      buffer->stashed = true;
      return;
    }
    if (!(status && isError(status, site)) && leftOutInside(thread, *buffer, site)) {
      buffer->stashed = false;
      return;
    }
  }
  // The next number is the outermost call's where device work inside was given it.
  uint64_t correlation = nested && buffer->leftOutInside ? 0 : buffer->takeCorrelation();
  Record *record = buffer->slot();
  if (!record) {
    buffer->stashed = false;
    return;
  }
  if (buffer->stashed) {
    *record = buffer->stash;
    buffer->stashed = false;
    if (!status)
      status = record->result;
  } else {
    *record = {};
    describe(thread, *buffer, frame, status != 0, *record);
  }
  record->type = RecordType::Host;
  record->start = frame.start ? frame.start : root.untimed ? end : std::min(root.start, end);
  record->end = end;
  record->site = nested ? indexOf(&site) : root.site;
  record->caller = nested ? root.site : callerBeyond(root.site, root.caller);
  record->thread = buffer->index;
  record->correlation = correlation;
  record->result = status ? status : root.nestedError;
  record->op = uint8_t(site.op);
  record->resource = uint8_t(site.resource);
  bool failed = record->result && (isError(record->result, site) || root.nestedError);
  record->flags = uint8_t((failed ? Failed : 0) | (nested ? Nested : 0));
  record->device = NoDevice;
  if (!nested)
    noteLeftOut(*buffer, *record);
  if (buffer->push())
    wakeWriter();
  buffer->sampling.kept(thread, indexOf(nested ? nullptr : &site), nested || isPaired(site));
}

/// A call that is left out has returned. True: it is recorded all the same, because it failed.
bool leftOut(ThreadState &thread, Buffer &buffer, const gpuinstr_frame &frame, int64_t result) {
  const gpuinstr_site &site = *frame.site;
  bool nested = thread.depth != 0;
  constexpr uint32_t Status =
      GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;
  bool failed = (site.flags & Status) && int32_t(result) && isError(int32_t(result), site);
  if (failed || !nested)
    buffer.skipping = false;
  if (failed)
    return true;
  buffer.takeCorrelation();                    // device work may have been given it
  if (thread.root.counters == &thread.discard) // paused
    return false;
  if (!nested ||
      (isWorthARecord(site) && !isWrappedBy(site, *thread.frames[thread.depth - 1].site))) {
    ++buffer.leftOutBefore;
    BusyScope busy(thread);
    buffer.sampling.dropped(indexOf(&site));
  }
  return false;
}

} // namespace

void describe(ThreadState &thread, Buffer &buffer, const gpuinstr_frame &frame, bool failed,
              Record &record) {
  const gpuinstr_site &site = *frame.site;
  record.op = uint8_t(site.op);
  record.resource = uint8_t(site.resource);
  record.device = NoDevice;
  if (!site.slots)
    return;
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  record.stream = operation.stream;
  if (site.op == GPUINSTR_OP_LAUNCH)
    describeLaunch(thread, buffer, operation, record);
  else
    describeMemory(operation, failed, record);
}

bool describeCall(ThreadState &thread, const gpuinstr_frame &frame, Record &record) {
  Buffer *buffer = isOn() ? bufferOf(thread) : nullptr;
  if (!buffer)
    return false;
  record = {};
  describe(thread, *buffer, frame, false, record);
  record.type = RecordType::Device;
  record.site = thread.root.site;
  record.caller = callerBeyond(thread.root.site, thread.root.caller);
  record.thread = buffer->index;
  record.correlation = buffer->nextCorrelation();
  return true;
}

__attribute__((noinline)) void enter(gpuinstr_frame *frame) {
  ThreadState *thread = Self;
  auto *buffer = thread ? static_cast<Buffer *>(thread->trace.get()) : nullptr;
  // Before the core looks at the call: whoever notes its device work asks.
  bool begins = buffer && thread->depth == 0 && !thread->busy;
  if (begins) {
    buffer->begin();
    buffer->skipping = buffer->sampling.skips(indexOf(frame->site));
  }
  if (thread && !thread->busy) // should the call take the short way, its leave still asks
    forgetOperandsAt(*thread, std::min(thread->depth, ThreadState::MaxDepth - 1));
  gpuinstr::enter(frame);
  thread = Self;
  if (!thread || thread->busy || !thread->depth || thread->frames[thread->depth - 1].frame != frame)
    return;
  if (buffer && !begins && thread->depth == 1) // the ones above were left by an exception
    buffer->skipping = false;
  frame->start = buffer && buffer->skipping ? 0 : ticks();
}

void enterLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner) {
  enter(outer);
  enter(inner);
  // Both from here: as a jump the second would stand higher on the stack, which says that the first
  // call was left by an exception.
  asm volatile("");
}

void leaveLaunch(gpuinstr_frame *outer, gpuinstr_frame *inner, int64_t result) {
  leave(inner, result);
  leave(outer, 0);
}

void leave(gpuinstr_frame *frame, int64_t result) {
  ThreadState *thread = Self;
  if (!thread || thread->busy || thread->depth == 0)
    return gpuinstr::leave(frame, result);
  auto *known = static_cast<Buffer *>(thread->trace.get());
  // A call that is left out needs no stamp of its own, unless it failed.
  uint64_t end = known && known->skipping && int32_t(result) == 0 ? 0 : ticks();
  uint32_t depth = thread->depth;
  gpuinstr::leave(frame, result);
  if (thread->depth >= depth)
    return;
  auto *buffer = static_cast<Buffer *>(thread->trace.get());
  if (buffer && buffer->skipping && !leftOut(*thread, *buffer, *frame, result))
    return;
  if (!buffer || buffer->count() % MeasureEvery) // the first one allocates: that is start-up
    return note(*thread, *frame, result, end);
  uint64_t before = ticks();
  note(*thread, *frame, result, end);
  uint64_t own = ticks() - before;
  thread->ownTicks += MeasureEvery * std::min<uint64_t>(own, 100000);
  noteHostCost(uint64_t(double(own + HotState.stampTicks) * nsOfTick()));
}

void pushRange(const char *name) {
  ThreadState *thread = thisThread();
  if (!name || !thread || thread->busy)
    return;
  Buffer *buffer = bufferOf(*thread);
  if (!buffer)
    return;
  unsigned at = buffer->openRanges++;
  if (at >= Buffer::MaxRanges)
    return;
  buffer->ranges[at].name = 0;
  if (isPaused()) // its end must still find it
    return;
  BusyScope busy(*thread);
  guarded([&] { buffer->ranges[at].name = nameNumber(name); });
  buffer->ranges[at].start = ticks();
}

void popRange() {
  ThreadState *thread = Self;
  auto *buffer = thread ? static_cast<Buffer *>(thread->trace.get()) : nullptr;
  if (!buffer || thread->busy || buffer->openRanges == 0)
    return;
  uint64_t end = ticks();
  unsigned at = --buffer->openRanges;
  if (at >= Buffer::MaxRanges || buffer->ranges[at].name == 0)
    return;
  Record *record = buffer->slot();
  if (!record)
    return;
  *record = {};
  record->type = RecordType::Range;
  record->start = buffer->ranges[at].start;
  record->end = end;
  record->name = buffer->ranges[at].name;
  record->thread = buffer->index;
  record->device = NoDevice;
  if (buffer->push())
    wakeWriter();
  buffer->sampling.kept(*thread, 0, true);
}

} // namespace gpuinstr::trace
