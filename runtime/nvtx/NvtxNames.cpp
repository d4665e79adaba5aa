// How a timeline shows a call: its name, category and colour.
// SPDX-License-Identifier: Apache-2.0
#include "nvtx/NvtxNames.h"
#include "calls/sites/Sites.h"
#include "cuda/Driver.h"
#include "findings/Spelling.h"
#include "profile/Profile.h"
#include <cstring>

namespace gpuinstr {

namespace {

enum Category { Kernel, Graph, Copy, Set, Allocation, Sync, Event, Handle, Library, Other, User };

constexpr NvtxKind Kinds[] = {
    {Kernel + 1, "kernel", 0xff4caf50},         // green: work on the device
    {Graph + 1, "graph", 0xff4caf50},           //
    {Copy + 1, "copy", 0xff2196f3},             // blue: bytes that move
    {Set + 1, "set", 0xff00bcd4},               // light blue
    {Allocation + 1, "allocation", 0xffff9800}, // orange: memory
    {Sync + 1, "sync", 0xfff44336},             // red: the host waits
    {Event + 1, "event", 0xff9e9e9e},           // grey
    {Handle + 1, "handle", 0xff9e9e9e},         //
    {Library + 1, "library", 0xff9c27b0},       // violet: what lies in it belongs to others
    {Other + 1, "other", 0xff9e9e9e},           //
    {User + 1, "user", 0xffffeb3b},             // yellow: the program's own ranges
    {0, "", 0},
};

Category categoryOf(unsigned op) {
  switch (op) {
  case GPUINSTR_OP_LAUNCH:
    return Kernel;
  case GPUINSTR_OP_GRAPH_LAUNCH:
  case GPUINSTR_OP_CAPTURE_BEGIN:
  case GPUINSTR_OP_CAPTURE_END:
  case GPUINSTR_OP_GRAPH_NODE:
    return Graph;
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_COPY_2D:
  case GPUINSTR_OP_COPY_3D:
  case GPUINSTR_OP_COPY_SYMBOL:
  case GPUINSTR_OP_COPY_ARRAY:
  case GPUINSTR_OP_COPY_BATCH:
  case GPUINSTR_OP_PREFETCH:
    return Copy;
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    return Set;
  case GPUINSTR_OP_ALLOC:
  case GPUINSTR_OP_FREE:
    return Allocation;
  case GPUINSTR_OP_SYNC_DEVICE:
  case GPUINSTR_OP_SYNC_STREAM:
  case GPUINSTR_OP_SYNC_EVENT:
    return Sync;
  case GPUINSTR_OP_QUERY:
  case GPUINSTR_OP_WAIT_EVENT:
  case GPUINSTR_OP_RECORD_EVENT:
    return Event;
  case GPUINSTR_OP_CREATE:
  case GPUINSTR_OP_DESTROY:
    return Handle;
  case GPUINSTR_OP_LIBRARY:
  case GPUINSTR_OP_REGION:
    return Library;
  default:
    return Other;
  }
}

bool isCopy(unsigned op) { return op >= GPUINSTR_OP_COPY && op <= GPUINSTR_OP_COPY_ARRAY; }

bool namesKernel(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_LAUNCH && (site.slots >> GPUINSTR_SLOT_FUNC & 1);
}

/// Expressions can be long; a timeline's boxes are short.
std::string clipped(std::string text) {
  constexpr size_t Longest = 48;
  if (text.size() <= Longest)
    return text;
  size_t end = Longest - 3;
  while (end && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) // inside of a UTF-8 letter
    --end;
  return text.substr(0, end) + "...";
}

std::string kernelOf(const cuda::CallOperands &operands) {
  uint64_t function = operands.slot(GPUINSTR_SLOT_FUNC);
  std::string name = kernelName(reinterpret_cast<const void *>(function));
  return name.empty() ? driverKernelName(function, operands.flags & GPUINSTR_SITE_DRIVER) : name;
}

/// What the call is about, as spelled: d_x <- h_x H2D.
std::string subjectOf(const gpuinstr_site &site, cuda::CopyDirection direction) {
  std::string text = clipped(site.variable);
  if (isCopy(site.op)) {
    if (std::string source = clipped(copySource(&site)); !source.empty())
      text += (text.empty() ? "<- " : " <- ") + source;
    if (const char *name = cuda::directionName(direction); *name)
      text += (text.empty() ? "" : " ") + std::string(name);
  }
  return text;
}

} // namespace

const NvtxKind &nvtxKind(unsigned op) { return Kinds[categoryOf(op)]; }
const NvtxKind &nvtxUserKind() { return Kinds[User]; }
const NvtxKind *nvtxKinds() { return Kinds; }

uint64_t nvtxVariant(const cuda::CallOperands &operands) {
  if (namesKernel(*operands.frame->site))
    return operands.slot(GPUINSTR_SLOT_FUNC);
  return isCopy(operands.op) ? uint64_t(operands.direction) : 0;
}

std::string nvtxName(const gpuinstr_site &charged, const cuda::CallOperands &operands,
                     bool others) {
  std::string name;
  const gpuinstr_site &site = *operands.frame->site;
  // A line that uses a wrapper has the call itself, in its words. A region's says what it called.
  if (charged.op == site.op &&
      (charged.id == site.id || std::strcmp(charged.callee, site.callee) == 0)) {
    if (namesKernel(site))
      name = others ? profile::OtherKernels : kernelOf(operands);
    else if (std::string subject = subjectOf(charged, operands.direction); !subject.empty())
      name = std::string(charged.callee) + " " + subject;
  }
  if (name.empty())
    name = charged.callee;
  const char *slash = std::strrchr(charged.file, '/');
  return name + "  " + (slash ? slash + 1 : charged.file) + ":" + std::to_string(charged.line);
}

} // namespace gpuinstr
