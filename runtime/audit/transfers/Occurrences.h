// What an occurrence of a transfer means for its key and for the others of the same memory: the
// parts of meet() that the short way of repeats takes as well.
// SPDX-License-Identifier: Apache-2.0
//
// All with the auditor's lock held.
#ifndef GPUINSTR_AUDIT_TRANSFERS_OCCURRENCES_H
#define GPUINSTR_AUDIT_TRANSFERS_OCCURRENCES_H

#include "audit/state/ThreadAuditState.h"
#include "base/HotCode.h"
#include <memory>

namespace gpuinstr::audit {

/// Of its rows and slices: KeyId::shape.
uint64_t shapeOf(const cuda::Region &region);

/// Other copies and sets to the same bytes, in another stream or thread, may come before this
/// occurrence of the key, whose memory `range` is, or after it. `entered`: Streams::Puts in its
/// enter.
bool mayBeUnordered(const Range &range, const Key &key, const StreamState &stream,
                    uint64_t entered);
inline bool isUnordered(const Range &range, const Key &key, const StreamState &stream,
                        uint64_t entered) {
  bool isOwnAlone = range.keys.size() == 1 && (!key.stream || key.stream == &stream);
  return UNLIKELY(!isOwnAlone || key.settledAt > entered) &&
         mayBeUnordered(range, key, stream, entered);
}

/// The upload that this download brings back, or another line's download that has brought the same;
/// or the download that this upload sends back: same bytes on the device, same place on the host,
/// and nothing has written the device's since. Null: none.
const Key *counterpart(const Auditor &a, const Key &key, const StreamState &stream);

/// Says whence the bytes are: of that counterpart, or, of a download, from another line's that has
/// brought the same to the same place since.
void relate(const Auditor &a, Key &key, const Key &counterpart, Tally &tally);

/// The last launch of a kernel that got the address of the host's side and may have written there;
/// 0: none. `dst` and `src`: null where a side is none of ours.
inline Order hostWritesOf(CopyDirection direction, const Range *dst, const Range *src) {
  const Range *host = direction == CopyDirection::DeviceToHost   ? dst
                      : direction == CopyDirection::HostToDevice ? src
                                                                 : nullptr;
  return host ? LaunchStamp::order(host->writer.load(std::memory_order_relaxed)) : 0;
}
/// ... since that occurrence.
inline bool hostMayDiffer(Order hostWrites, const Key &since) {
  return UNLIKELY(hostWrites != since.hostWrites) && hostWrites != 0;
}

/// Other copies or sets have written there since the key's last occurrence, or it is the first.
inline bool isAfterOthers(const Key &key) {
  return key.occurrences == 0 || key.copyWrites != key.copyWritesThen;
}
/// Another line has written there since, and nothing after it: this occurrence is one more of that
/// line's, as a loop has that sends the same bytes before each of two kernels. False: none.
bool followSibling(const Auditor &a, Key &key, const StreamState &stream, uint64_t version);

/// A kernel in between would have written there, or where a copy within the device comes from, but
/// on the simulated device it did not run. `changed`: something has written where the key is.
inline bool isVoid(const Key &key, uint64_t notRun, bool changed) {
  return UNLIKELY(notRun != key.notRun) &&
         (changed || key.direction == CopyDirection::DeviceToDevice);
}

/// A repeat of the tally's was looked at, on the device or the host.
void addAnswer(Auditor &a, Key &key, Tally &tally, bool unchanged);
/// The one that a question is about.
Tally &tallyOf(Key &key, Question question);
/// Looks, where each saw other bytes than the one before; 0 where one did not.
uint64_t looksOfNews(const Key &key);
/// Of which the device is asked alone, until it holds the same again: the host's side takes the
/// host a millisecond for 8 MB, and the device, which reads it over the bus, as long as the copy.
inline bool isLargeDownload(const Key &key, bool waits) {
  const uint64_t large = waits ? 4 << 20 : 1 << 20;
  return key.direction == CopyDirection::DeviceToHost && key.id.bytes >= large;
}
/// What the device had, or the download brought.
inline void noteAsked(Key &key, const ContentHash &content) {
  key.asksHost = key.hasAsked && key.asked == content;
  key.hasAsked = true;
  key.asked = content;
}
/// A repeat before which nothing may have written was found to change nothing, and so many with it.
void noteQuiet(Key &key, uint64_t shown);

bool isSet(unsigned op);
/// Whether what a copy or set does there is followed: in the device's memory; small sets in pinned
/// memory, too, which the device reads slowly, where the call waits for them.
bool hasKeys(const Range &range, const Transfer &t, const cuda::CallOperands &o);
bool isPinned(const Range &range);

/// Of a key that has a sample: whether kernels have rewritten what its last occurrence brought, and
/// what a further one, which is the last from now on, finds.
void noteRewrite(Auditor &a, Key &key);
/// Copies in the stream read there: maybe what kernels have written since.
void noteReadBehind(const Auditor &a, Key &key, const StreamState &stream, uint64_t times);
void renewSample(Auditor &a, Key &key, bool hasSameValues, bool isDone);
/// Before a further one: has a look at some of those, if nothing is under way.
void lookAtRewritten(Auditor &a, const Call &call, ThreadAuditState &local, Key &key);

/// Whether a copy of direction `found` stays within the host's memory: by address on both sides, by
/// name where the memory is not known. Libraries download from pinned memory, too.
bool isOfHost(const cuda::CallOperands &o, CopyDirection found, const Range *dst, const Range *src);
/// ... of one that leaves it to CUDA to find out (cudaMemcpyDefault). Without the auditor's lock.
bool isOfHostByDefault(ThreadAuditState &local, const cuda::CallOperands &o);

/// Whether the host may read what a copy or set wrote, or write what it reads, without a further
/// call: then a wait for it has a reason.
bool isForHost(const cuda::CallOperands &o, CopyDirection found, const Range *dst,
               const Range *src);
/// Transfer::isEarly, as far as the operands tell.
bool mayBeStaged(const cuda::CallOperands &o, const Transfer &t, const Range *dst,
                 const Range *src);

/// Where an upload goes that has no allocation of ours: an array, a variable that cudart keeps to
/// itself, memory that unseen code made. Null: the host's memory, or nobody knows.
Range *opaqueTarget(Auditor &a, const cuda::CallOperands &o, uint64_t context, bool symbolUnknown,
                    const Range *src);
/// What the host sends there may hold any address.
void leaveUnsearched(Auditor &a, const cuda::CallOperands &o, const Transfer &t, Range *dst);
/// The value may be the upper half of an allocation's address, which somebody puts by halves.
void notePossibleHalf(Auditor &a, const Transfer &t, const cuda::Region &to, uint64_t value);
/// Addresses that a copy may bring, where nobody looks at its source.
void noteMovedAddresses(Auditor &a, const cuda::CallOperands &o, Transfer &t, Range *dst,
                        const Range *src);
/// Where a download comes from that lies in memory which a pool has mapped, as XLA's and PyTorch's
/// growing segments do, or is a variable that a statically linked cudart alone can find: the host's
/// witness is all there is.
Range *opaqueSource(Auditor &a, const cuda::CallOperands &o, uint64_t context, bool symbolUnknown);
/// ... which stands for the symbol of that copy.
Range *hiddenVariable(const cuda::CallOperands &o, Range *opaque);

/// What a read, or so many, does to the transfers of the allocation.
void noteRead(Auditor &a, Range &range, const cuda::Region &region, const StreamState &stream,
              uint64_t times = 1);

/// Transfers that nobody read, the last one of the key and maybe some behind it; by the next one of
/// its key, mostly the same finding again.
void noteDead(Auditor &a, SiteIndex site, Key &key, const Alike &dead, bool byItself);

/// In the leave of a call that has read it: a program that opens pages in its handler of faults may
/// have closed them again. Of few pages nobody asks.
bool hostIsStillOpen(const cuda::Region &region);
/// The hash, some time after the copy: another thread may take it away meanwhile, and
/// then there is none. False also where a sandbox forbids such reading.
bool hashHostIfThere(const cuda::Region &region, ContentHash &content);
/// ... and the bytes, one row behind the other, where they are few enough.
std::unique_ptr<char[]> copyHostIfThere(const cuda::Region &region);
/// What estimates take for both.
constexpr uint64_t SafeBytesPerNs = 3;

} // namespace gpuinstr::audit

#endif
