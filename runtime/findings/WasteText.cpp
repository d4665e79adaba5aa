// What the findings of waste say of their proof, and what to change.
// SPDX-License-Identifier: Apache-2.0
#include "findings/WasteText.h"
#include "findings/BugText.h"
#include "findings/Spelling.h"
#include "ledger/AllocationNaming.h"
#include <algorithm>
#include <cstring>

namespace gpuinstr {

namespace {

/// The device was not asked: "all 8 repeats: the host sent ...".
bool isHostsWord(const FindingRecord &r) {
  return r.checked && r.hostChecked == r.checked && r.unchanged == r.checked;
}

/// What the call at the second place does.
bool isRelatedA(unsigned op, const FindingRecord &r) {
  const gpuinstr_site *site = siteAt(r.key.related);
  return site && site->op == op;
}

/// A set or copy that the host does not wait for, as far as its call says.
bool isQueued(const gpuinstr_site *site) {
  if (!site)
    return false;
  switch (site->op) {
  case GPUINSTR_OP_FREE:
    return false;
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    return true;
  }
  if (site->flags & GPUINSTR_SITE_ASYNC)
    return true;
  for (unsigned i = 0; i < site->num_arguments; ++i)
    if (std::strcmp(site->arguments[i], "cudaMemcpyDeviceToDevice") == 0)
      return true;
  return false;
}

/// Of a dead copy: a kernel overwrote it.
bool isByKernel(const FindingRecord &r) { return isRelatedA(GPUINSTR_OP_LAUNCH, r); }

/// It may be a library's call, which frees among other things.
bool isByFree(const FindingRecord &r) { return r.isByFree || isRelatedA(GPUINSTR_OP_FREE, r); }

/// Of a reupload: the earlier buffer may live to this day, or be the very one that is written.
bool isInPlace(const FindingRecord &r) { return r.inPlace && r.inPlace == r.count; }

/// As far as their code tells.
bool mayWrite(const KernelUses &kernels) {
  return std::any_of(kernels.known.begin(), kernels.known.end(), [](const auto &use) {
    return use.second & (GPUINSTR_ACCESS_WRITE | GPUINSTR_ACCESS_ESCAPE | GPUINSTR_ACCESS_UNKNOWN);
  });
}

/// A kernel behind an `if` that no run so far has taken may read it.
constexpr const char *DropUnread = "drop it: no kernel that ran reads what it writes, as far as "
                                   "their code tells; mind those that did not run";

std::string heldBefore(const FindingRecord &r, const std::string &variable) {
  if (isInPlace(r))
    return (variable.empty() ? "the destination" : variable) + " still held, sent before at " +
           place(r.key.related);
  if (isByFree(r))
    return "an earlier buffer held when it was freed at " + place(r.key.related);
  return "were sent before at " + place(r.key.related) +
         (r.isInTurn ? ", and replaced by others since" : "");
}

} // namespace

std::string proofOf(const FindingRecord &r) {
  std::string checked = std::to_string(r.checked), all = std::to_string(r.repeats);
  if (r.unchanged != r.checked)
    return std::to_string(r.unchanged) + " of " + checked +
           (r.checked == r.repeats ? " repeats" : " checked repeats (of " + all + ")") +
           (r.hostChecked != r.checked                       ? " changed nothing"
            : r.direction == TransferDirection::DeviceToHost ? ": the host got the same bytes"
            : r.direction == TransferDirection::Set          ? ": set to the same value"
                                                             : ": the host sent the same bytes");
  if (r.first)
    return "the first copy found its bytes there already";
  if (!r.checked)
    return "source and destination are the same";
  if (r.news) // beside those of which the line sends each once
    return std::to_string(r.unchanged) + " of " + std::to_string(r.checked + r.news) +
           " uploads looked at" +
           (r.key.pattern == Pattern::Roundtrip ? ": the host sent the same bytes"
            : isHostsWord(r)                    ? ": the host sent"
                                                : "");
  std::string seen = " repeats checked, all unchanged";
  if (r.hostChecked == r.checked)
    seen = r.key.pattern == Pattern::Reupload ? " repeats: the host sent"
           : r.direction == TransferDirection::DeviceToHost
               ? " repeats: the host got the same bytes"
           : r.direction == TransferDirection::Set ? " repeats: set to the same value"
                                                   : " repeats: the host sent the same bytes";
  else if (r.hostChecked)
    seen = " repeats checked (" + std::to_string(r.checked - r.hostChecked) +
           " on the device), all unchanged";
  if (r.repeats == 1)
    return !r.hostChecked                       ? "its one repeat checked, unchanged"
           : r.key.pattern == Pattern::Reupload ? "its one repeat: the host sent"
                                                : "its one repeat: the host sent the same bytes";
  return (r.checked == r.repeats ? "all " : checked + " of ") + all + seen;
}

std::string onceOf(const FindingRecord &r, const std::string &variable) {
  if (r.isUnread)
    return DropUnread;
  std::string target = variable.empty() ? "the destination" : variable;
  std::string source = copySource(siteAt(r.key.site));
  if (r.first && !r.checked)
    return "leave out the first copy: " + target + " is initialised with the same";
  if (!r.checked && !r.hostChecked && !r.first)
    return "drop it";
  bool isLater = r.key.related && r.key.related != r.key.site && !r.first;
  if (isLater && r.direction == TransferDirection::Set)
    return "drop it: " + place(r.key.related) + " has set " + target + " to the same";
  if (isLater && r.direction == TransferDirection::HostToDevice)
    return "copy only where " + (source.empty() ? std::string("the source") : source) +
           " is not what " + place(r.key.related) + " has sent";
  if (r.direction == TransferDirection::Set)
    return "set " + target + " once, or only after something wrote it";
  if (r.direction == TransferDirection::DeviceToHost)
    return "copy once, or only after a kernel wrote " +
           (source.empty() ? std::string("the source") : source);
  if (source.empty())
    source = "the source";
  if (r.isFromOthers)
    return "copy only where the bytes are others than the last ones: " + source + " moves";
  return (r.places > 1 ? "copy once to each place, or only after "
                       : "copy once before the loop, or only after ") +
         source +
         (r.mayBeWritten && mayWrite(r.kernels) ? " changes or a kernel wrote " + target
                                                : " changes");
}

std::string hostSideOf(const FindingRecord &r, const std::string &variable) {
  const bool isUpload = r.direction == TransferDirection::HostToDevice;
  const std::string host = isUpload ? copySource(siteAt(r.key.site)) : variable;
  return host.empty() ? "the host side" : "the memory of " + host;
}

std::string unusedOf(const FindingRecord &r) {
  if (!r.key.related)
    return "never used by a copy, a set, a kernel or a library";
  return "passed to kernels, used by none: " + place(r.key.related);
}

std::string earlierOf(const FindingRecord &r, const std::string &variable) {
  return (isHostsWord(r) ? " the bytes that " : ": the bytes that ") + heldBefore(r, variable);
}

std::string keepOf(const FindingRecord &r) {
  if (r.isUnread)
    return DropUnread;
  if (isInPlace(r))
    return "drop this transfer, or make it only where the host has changed them";
  if (isByFree(r)) // one buffer would hold others in between
    return (r.news ? "keep the contents that come again on the device, instead of the free at "
                   : "allocate once and keep the buffer, instead of the free at ") +
           place(r.key.related);
  if (r.isFill)
    return "fill it with cudaMemset or cuMemsetD32: all elements are equal";
  if (r.isInTurn)
    return "keep the contents that come again on the device, as far as there is room";
  if (mayWrite(r.kernels))
    return "send them once, and copy them on the device";
  return "send them once, and share the buffer or copy it on the device";
}

/// What has no bytes: streams, executable graphs, handles and plans of libraries.
static bool isOfHandles(const FindingRecord &r) {
  return r.key.resource == GPUINSTR_RES_STREAM || r.key.resource == GPUINSTR_RES_GRAPH_EXEC ||
         r.key.resource >= GPUINSTR_RES_CUBLAS;
}

std::string cyclesOf(const FindingRecord &r) {
  if (isOfHandles(r))
    return "each destroyed before the next";
  return r.largest ? "of up to " + bytesOf(r.largest) + ", each freed before the next"
                   : "each freed before the next of the same size";
}

/// Of memory that is made anew each time.
std::string reuseOf(const FindingRecord &r, const std::string &what) {
  const gpuinstr_site *site = siteAt(r.key.site);
  if (site && isThrustAlgorithm(*site))
    return "give it an allocator that keeps its memory: thrust::cuda::par(allocator)";
  if (isOfHandles(r))
    return "create " + what + " once, before the loop" +
           (r.key.resource == GPUINSTR_RES_GRAPH_EXEC
                ? ", and bring it up to date with cudaGraphExecUpdate"
                : "");
  std::string fix = "allocate " + what + " once, before the loop" +
                    (r.largest ? ", as large as the largest: " + bytesOf(r.largest) : "");
  if (site && std::strncmp(site->callee, "thrust::", 8) == 0)
    return fix + ", or give it an allocator that keeps its memory";
  if (r.key.resource == GPUINSTR_RES_DEVICE) // of no other kind is what a pool hands out
    fix += ", or use cudaMallocAsync, which keeps the memory in its pool";
  return fix;
}

std::string buriedOf(const FindingRecord &r) {
  if (isByKernel(r))
    return "the kernel at " + place(r.key.related) + " overwrote " +
           (r.key.grade == Grade::Advice && !r.made ? "most of them" : "them") + " unread" +
           (r.elements ? ": all " + std::to_string(r.elements) + " elements compared were others"
                       : "");
  if (!r.key.related)
    return "never read up to the end";
  return "never read before " + place(r.key.related) +
         (isByFree(r) ? " freed it" : " overwrote it");
}

/// Of a dead copy: the others of its line were needed, were not looked at, or are known from the
/// kernels' code alone.
std::string seldomOf(const FindingRecord &r) {
  const std::string count = std::to_string(r.count);
  if (r.checked && r.checked < r.count)
    return "; " + std::to_string(r.checked) + " of " + count + " looked at";
  if (!r.made)
    return "";
  return "; " + count + (isByKernel(r) ? " seen of " : " of ") + std::to_string(r.made) +
         " at this line";
}

/// Whether the host reads a download, nobody sees: an upload can go, its download perhaps.
std::string roundOf(const FindingRecord &r) {
  if (r.isUnread)
    return DropUnread;
  std::string there = place(r.key.related);
  if (r.direction == TransferDirection::DeviceToHost)
    return std::string("drop this transfer: the host has the bytes that it ") +
           (r.isFetched ? "got" : "sent") + " at " + there;
  if (r.isStaged)
    return "copy on the device from what is downloaded at " + there + ", or let kernels read that";
  if (r.isAnew)
    return "keep the memory that is downloaded at " + there + " and upload only what the host " +
           "changes";
  return "upload only where the host changes what it got at " + there +
         "; drop that one, too, if nobody on the host reads it";
}

std::string equalOf(const FindingRecord &r) {
  if (r.isOfPlaces)
    return bytesOf(r.bytes) + " uploaded, equal wherever it was looked at";
  if (!r.others)
    return bytesOf(r.bytes) + " of equal elements uploaded";
  uint64_t words = (r.each ? r.each : r.bytes) / r.wordBytes;
  return bytesOf(r.bytes) + " uploaded, equal but for " + std::to_string(r.others) + " of " +
         std::to_string(words) + " words of " + std::to_string(r.wordBytes) + " bytes";
}

std::string fillOf(const FindingRecord &r) {
  return r.wordBytes == 8 ? "by a kernel: cudaMemset and cuMemsetD32 know no elements of 8 bytes"
                          : "on the device with cudaMemset or cuMemsetD32";
}

std::string restOf(const FindingRecord &r) {
  return r.others || r.isOfPlaces ? ", then copy what differs" : "";
}

std::string deadOf(const FindingRecord &r) {
  const bool isOfOther = r.key.related && r.key.related != r.key.site && !isByFree(r);
  if (r.made && r.key.grade != Grade::Advice && isOfOther && !isByKernel(r))
    return "leave it out where " + place(r.key.related) + " follows unread; the others are " +
           "needed. Where both write the same, the one there can go instead";
  if (r.made && (r.key.grade == Grade::Advice || !isByKernel(r)))
    return "leave it out where nobody reads it";
  if (r.key.grade == Grade::Advice && isByFree(r))
    return "drop it, unless it wipes a secret";
  if (!r.key.related || isByFree(r))
    return "drop it, and the memory if nothing else uses it";
  if (!isByKernel(r))
    return r.key.related == r.key.site ? "drop it" : "drop the first write";
  if (r.key.grade != Grade::Advice)
    return r.elements ? "drop it if the kernel writes all of it"
                      : "drop it: the kernel writes all of it";
  return "write only what the kernel leaves, if it leaves any" +
         (r.isFill ? ", " + fillOf(r) + restOf(r) : "");
}

/// Of small copies: their rows, which other work or other directions end.
std::string rowsOf(const FindingRecord &r) {
  if (r.rows <= 1)
    return "one after the other";
  return "in " + std::to_string(r.rows) + " rows of " +
         std::to_string((r.count + r.rows / 2) / r.rows) + " on average";
}

std::string idleOf(const FindingRecord &r) {
  if (r.filled)
    return "but for what the host put there, before its first use at " + place(r.key.related);
  return (r.early ? "before its first use at " : "after its last use at ") + place(r.key.related);
}

std::string betweenOf(const FindingRecord &r) {
  if (r.behindWrites)
    return "; " + std::to_string(r.behindWrites) +
           (r.behindLooks ? " more, likely for nothing," : " more, not compared,") +
           " behind something that may write it";
  return r.key.grade == Grade::Likely && r.mayBeWritten ? "; something between them may write it"
                                                        : "";
}

std::string dropOf(const FindingRecord &r) {
  return r.key.related ? "drop the allocation, and the kernel's parameter"
         : r.key.resource == GPUINSTR_RES_PINNED
             ? "drop the allocation; what only the host uses need not be pinned"
         : r.isWarmUp ? "drop the allocation; to start CUDA early, cudaFree(nullptr) will do"
                      : "drop the allocation";
}

std::string whenceOf(const FindingRecord &r) {
  return (r.isFetched ? "the host got the same bytes at "
                      : "the same bytes went the other way at ") +
         place(r.key.related);
}

std::string gatherOf(const FindingRecord &r) {
  return r.allocates ? "allocate one buffer for all, gather them in it"
                     : "gather them in one buffer";
}

std::string needlessOf(const FindingRecord &r) {
  if (!r.key.related)
    return "had nothing to wait for";
  if (r.key.related == r.key.site)
    return "came before launches into the same stream, which wait there";
  return "directly before the call at " + place(r.key.related) + ", which " +
         (isQueued(siteAt(r.key.related)) ? "stands behind the same work in its stream"
                                          : "waits for the same work");
}

/// A copy that blocks brings what kernels have printed; a free, or what is queued, does not.
std::string unlessOf(const FindingRecord &r) {
  if (!r.key.related)
    return "";
  if (r.key.related == r.key.site)
    return "; move it behind the loop where a clock is read there, keep it where kernels print";
  const gpuinstr_site *next = siteAt(r.key.related);
  return isQueued(next) || (next && next->op == GPUINSTR_OP_FREE) ? "; keep it where kernels print"
                                                                  : "";
}

std::string holdOf(const FindingRecord &r) {
  return (r.filled  ? "allocate and fill it right before "
          : r.early ? "allocate it right before "
                    : "free it right after ") +
         place(r.key.related);
}

std::string unnamedOf(const FindingRecord &r) {
  if (!r.unnamed)
    return "";
  return r.unnamed == 1 ? " with one more like this, the smallest"
                        : " with " + std::to_string(r.unnamed) + " more like this, the smallest";
}

} // namespace gpuinstr
