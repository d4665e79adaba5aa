// Round trips: what the host got, from pieces of pools, too, and what it sends back unchanged.
// SPDX-License-Identifier: Apache-2.0
//
// In pools the bytes go to another piece, another address of the host's, or pinned memory between
// them: contents alone tell. The host's witness has them once the download is waited for.
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "base/HotCode.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"

namespace gpuinstr::audit {

namespace {

constexpr uint64_t LeastBytes = 65536; ///< smaller ones are flags and results

void tally(Key &key, SiteIndex related, uint64_t ticks) {
  Tally &back = key.back;
  ++back.repeats;
  ++back.hostChecked;
  ++back.hostUnchanged;
  back.ticks += ticks;
  back.related = related;
}

/// Another line's download of the same bytes to the same place.
const Key *lastDownload(const Auditor &a, const Key &key) {
  const Key *found = nullptr;
  key.range->anyKey(key.lo, key.hi, [&](const KeyPlace &place) {
    const Key &other = *place.key;
    bool is = &other != &key && place.lo == key.lo && place.hi == key.hi &&
              other.direction == CopyDirection::DeviceToHost && other.occurrences &&
              other.hostAddress == key.hostAddress && other.id.bytes == key.id.bytes &&
              a.version(other) == other.version;
    found = is ? &other : nullptr;
    return is;
  });
  return found;
}

/// Whether the key's bytes, on the device and the host, are those of the other one, or some of
/// them.
bool isSameOrPart(const Key &key, const Key &other) {
  if (key.hostAddress - other.hostAddress != key.lo - other.lo)
    return false;
  auto isRow = [](const Key &k) { return k.region.rows == 1 && k.region.slices == 1; };
  return (key.hi == other.hi && key.id.bytes == other.id.bytes) || (isRow(key) && isRow(other));
}

/// It does not block, so that it may be under way still.
bool mayArriveLater(const Key &download) {
  const gpuinstr_site *site = siteAt(download.id.site);
  return !site || site->flags & GPUINSTR_SITE_ASYNC;
}

} // namespace

const Key *counterpart(const Auditor &a, const Key &key, const StreamState &stream) {
  CopyDirection wanted = key.direction == CopyDirection::HostToDevice ? CopyDirection::DeviceToHost
                         : key.direction == CopyDirection::DeviceToHost
                             ? CopyDirection::HostToDevice
                             : CopyDirection::Unknown;
  if (wanted == CopyDirection::Unknown || key.range->opaque) // the device cannot be asked about it
    return nullptr;
  const Key *fetched =
      key.direction == CopyDirection::DeviceToHost ? lastDownload(a, key) : nullptr;
  if (fetched && mayArriveLater(*fetched))
    return nullptr; // this copy is what waits for it
  const Key *found = nullptr;
  key.range->anyKey(key.lo, key.hi, [&](const KeyPlace &place) {
    const Key *other = place.key;
    bool is = place.lo <= key.lo && place.hi >= key.hi && other->direction == wanted &&
              isSameOrPart(key, *other) && other->occurrences &&
              a.version(*other) == other->version &&
              !a.ranges.writerMayRun(*key.range, stream, a.streams);
    found = is ? other : nullptr;
    return is;
  });
  if (found || !fetched)
    return found;
  return a.ranges.writerMayRun(*key.range, stream, a.streams) ? nullptr : fetched;
}

void relate(const Auditor &a, Key &key, const Key &counterpart, Tally &tally) {
  const Key *download =
      key.direction == CopyDirection::DeviceToHost ? lastDownload(a, key) : nullptr;
  key.isFetched = download != nullptr;
  tally.related = (download ? download : &counterpart)->id.site;
}

void noteBrought(Auditor &a, const KeyId &id, uint64_t occurrence, const ContentHash &content) {
  auto it = a.keys.find(id);
  if (occurrence == 0 || it == a.keys.end() || !it->second->range || !it->second->range->opaque)
    return;
  Key &key = *it->second;
  if (key.hasBrought && occurrence > 1) {
    ++key.same.hostChecked;
    key.same.hostUnchanged += key.brought == content;
    key.lastLookNs = monotonicNs();
    ++a.waste.figures.verified;
    a.waste.figures.verifiedBytes += key.id.bytes;
  }
  key.hasBrought = true;
  key.brought = content;
}

namespace {

/// The host's memory holds these bytes now.
void noteReturned(Auditor &a, const OpenDownload &open, const ContentHash &content) {
  auto it = a.keys.find(open.id);
  if (it == a.keys.end() || !it->second->range || a.version(*it->second) != open.version)
    return; // written since: nothing is there to be kept
  Key &key = *it->second;
  a.returned.put({content, open.id, open.version, open.context, 0});
  if (auto by = key.isStaged ? a.keys.find(key.sentBy) : a.keys.end(); by != a.keys.end())
    by->second->left.store(0, std::memory_order_relaxed); // its bytes are looked at next time
  if (!key.isPiece && !key.range->opaque)
    return; // of its own memory, the device is asked
  // The host had sent them from there, and no one but the device's owner can have changed them.
  const Sent *sent = a.sent.find(content, key.id.bytes, key.context());
  const Key *holder = sent ? sent->holder : nullptr;
  if (holder && holder->range == key.range && holder->lo == key.lo && holder->hi == key.hi &&
      holder->hostAddress == key.hostAddress && !holder->isUniform)
    tally(key, sent->site, open.ticks);
}

/// `isLate`: the program has gone on since.
void look(Auditor &a, ThreadAuditState &local, const OpenDownload &open, bool isLate) {
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    auto it = a.keys.find(open.id);
    if (it == a.keys.end())
      return;
    const uint64_t bytesPerNs = isLate ? SafeBytesPerNs : HostBytesPerNs;
    if (!affordLook(a, *it->second, open.id.bytes / bytesPerNs + LookNs))
      return;
  }
  uint64_t begin = monotonicNs();
  ContentHash content;
  if (!hostReadable(local, open.region.address) ||
      !(isLate ? hashHostIfThere(open.region, content) : hostAnswers(open.region)))
    return;
  if (!isLate)
    content = hashHost(open.region);
  uint64_t took = monotonicNs() - begin;
  local.verifyNs += took;
  noteOwnCost(OwnConsumer::HostLooks, took);
  std::lock_guard<AuditMutex> lock(a.mutex);
  noteBrought(a, open.id, open.occurrence, content);
  if (open.id.bytes >= LeastBytes)
    noteReturned(a, open, content);
}

} // namespace

void noteDownload(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                  uint64_t ticks) {
  const cuda::CallOperands &o = call.operands;
  // By the host's witness alone; noteDelivery() sees those that are handed on.
  const bool isJudgedSo = t.isMapped && !t.checked && !local.asked;
  const bool isWatched = t.key && (t.key->isPiece || (t.waits && (t.isStaged || t.key->isAnew)));
  if (!a.verifies || !t.key || (!isWatched && !isJudgedSo) ||
      t.direction != CopyDirection::DeviceToHost || t.isVoid || t.hostMayChange ||
      (!isJudgedSo && (t.writerMayRun || o.bytes < LeastBytes)))
    return;
  OpenDownload open{t.key->id, t.version, o.stream,        local.context,
                    ticks,     o.dst,     t.stream->index, Streams::Puts.load()};
  open.occurrence = isJudgedSo ? t.occurrence : 0;
  t.looksLater = isJudgedSo;
  if (t.waits)
    look(a, local, open, false);
  else
    local.downloads[local.downloadCount++ % ThreadAuditState::DownloadsMost] = open;
}

namespace {

/// Whether the wait, or the query that said so, shows that the download has ended.
bool isShownBy(Auditor &a, const cuda::CallOperands &o, const OpenDownload &open) {
  bool isQuery = o.op == GPUINSTR_OP_QUERY;
  if (o.op == GPUINSTR_OP_SYNC_DEVICE)
    return true;
  if (o.op == GPUINSTR_OP_SYNC_STREAM || (isQuery && o.detail != 1))
    return open.stream == o.stream;
  std::lock_guard<AuditMutex> lock(a.mutex);
  return a.streams.shows(o.dst.address, open.streamIndex, open.put);
}

} // namespace

void takeDownloads(const Call &call, ThreadAuditState &local) {
  unsigned count = std::min(local.downloadCount, ThreadAuditState::DownloadsMost), left = 0;
  for (unsigned i = 0; i < count; ++i) {
    OpenDownload open = local.downloads[i];
    if (open.context == local.context && isShownBy(auditor(), call.operands, open))
      look(auditor(), local, open, true);
    else
      local.downloads[left++] = open;
  }
  local.downloadCount = left;
}

void noteStaging(Auditor &a, Key &key) {
  if (key.id.bytes < LeastBytes || key.isPiece || !key.range || key.range->opaque ||
      key.hostAddress == 0)
    return;
  if (key.direction == CopyDirection::DeviceToHost)
    return a.returned.noteFetched({key.hostAddress, key.range->context, key.id});
  // A host that makes its buffer anew each time fetches to another place now and then.
  const Fetched *last = key.direction == CopyDirection::HostToDevice
                            ? a.returned.fetchedAt(key.hostAddress)
                            : nullptr;
  if (!last || last->id.bytes != key.id.bytes || last->context != key.range->context)
    return;
  auto from = a.keys.find(last->id);
  if (from == a.keys.end() || from->second->range == key.range || from->second->isStaged)
    return;
  from->second->isStaged = key.isStagedFrom = true;
  from->second->sentBy = key.id;
}

void noteFreed(Auditor &a, const Range &range) {
  if (a.returned.isEmpty())
    return;
  a.returned.each([&](Returned &one) {
    if (one.id.serial != range.serial || one.isDelivered || one.isFreed)
      return;
    auto it = a.keys.find(one.id);
    one.isFreed =
        it != a.keys.end() && !it->second->isPiece && a.version(*it->second) == one.version;
    one.freedAt = Ranges::lastSerial();
  });
}

GPUINSTR_HOT void noteUploadTime(Auditor &a, Key &key) {
  if (a.returned.isEmpty() || !key.mayComeBack() || key.direction != CopyDirection::HostToDevice ||
      key.id.bytes < LeastBytes || !key.range)
    return;
  // What may have been written since, or is freed, the host's copy may have been made to keep.
  key.uploadNumber = a.returned.noteUpload([&](const Returned &one) {
    if (one.isFreed)
      return one.id.bytes == key.id.bytes && one.context == key.range->context &&
             a.room.has(Auditor::resent(key, one.content, one.freedAt));
    if (one.isDelivered)
      return one.context == key.range->context && one.version == a.changes();
    auto source = one.id.bytes == key.id.bytes && one.context == key.range->context
                      ? a.keys.find(one.id)
                      : a.keys.end();
    return source != a.keys.end() && source->second->range &&
           a.version(*source->second) == one.version;
  });
}

bool noteSentBack(Auditor &a, Key &key, const ContentHash &content, uint64_t ticks) {
  if (!key.mayComeBack() || key.isUniform || !key.uploadNumber)
    return false;
  const Returned *back = a.returned.find(content, key.id.bytes);
  bool isBack = back && back->intactAt >= key.uploadNumber;
  if (isBack)
    tally(key, back->id.site, ticks);
  if (isBack && back->isFreed)
    a.room.keep(Auditor::resent(key, content, back->freedAt));
  return isBack;
}

} // namespace gpuinstr::audit
