// What the host has sent before: contents by hash, whoever sent them and wherever to.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/SentContents.h"
#include "base/Hash.h"

namespace gpuinstr::audit {

uint64_t SentContents::placeOf(const ContentHash &content, uint64_t bytes, uint64_t context) {
  return hashMix(hashMix(content.first, bytes), context);
}

Sent *SentContents::find(const ContentHash &content, uint64_t bytes, uint64_t context) {
  auto it = Contents.find(placeOf(content, bytes, context));
  if (it == Contents.end() || it->second.content != content || it->second.bytes != bytes ||
      it->second.context != context)
    return nullptr;
  return &it->second;
}

/// What the key sent last.
Sent *SentContents::heldBy(const Key &key) {
  Sent *sent = key.hasSent ? find(key.sent, key.id.bytes, key.context()) : nullptr;
  return sent && sent->holder == &key ? sent : nullptr;
}

Sent &SentContents::place(const ContentHash &content, const Key &key) {
  const uint64_t place = placeOf(content, key.id.bytes, key.context());
  auto [it, isNew] = Contents.try_emplace(place);
  it->second = Sent();
  it->second.content = content;
  it->second.bytes = key.id.bytes;
  it->second.context = key.context();
  it->second.serial = key.id.serial;
  it->second.site = key.id.site;
  Sent &sent = it->second;
  if (isNew)
    Order.push_back(place);
  if (Order.size() > Most) {
    Contents.erase(Order.front());
    Order.pop_front();
  }
  return sent;
}

void SentContents::put(const ContentHash &content, Key &key, uint64_t version) {
  if (Sent *last = heldBy(key); last && last->content != content) {
    last->holder = nullptr; // only the last that a key sent is found when it ends
    last->replaced = true;
    last->kernelWrote = key.range->written.load(std::memory_order_relaxed);
  }
  Sent &sent = place(content, key);
  sent.holder = &key;
  sent.version = version;
  key.sent = content;
  key.hasSent = true;
}

void SentContents::putFreed(const ContentHash &content, const Key &key, bool untouched) {
  Sent &sent = place(content, key);
  sent.freeSite = key.freeSite;
  sent.freedAt = key.freedAt;
  sent.untouched = untouched;
  sent.kernelWrote = !untouched; // for all that is known
}

void SentContents::retire(const Key &key, SiteIndex freeSite, bool untouched) {
  Sent *sent = heldBy(key);
  if (!sent)
    return;
  sent->holder = nullptr;
  sent->freeSite = freeSite;
  sent->freedAt = key.freedAt;
  sent->untouched = untouched;
  sent->shown =
      untouched && freeSite && key.isWhole() && key.hasLastContent && key.content == sent->content;
  sent->replaced |= key.copyWrites != key.copyWritesThen; // by another line's
  sent->kernelWrote = key.lostContent || key.range->written.load(std::memory_order_relaxed);
}

void SentContents::clear() {
  Contents.clear();
  Order.clear();
}

} // namespace gpuinstr::audit
