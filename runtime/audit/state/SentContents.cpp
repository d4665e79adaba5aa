// What the host has sent before: contents by hash, whoever sent them and wherever to.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/SentContents.h"
#include "base/Hash.h"

namespace gpuinstr::audit {

uint64_t SentContents::placeOf(const ContentHash &content, uint64_t bytes) {
  return hashMix(content.first, bytes);
}

Sent *SentContents::find(const ContentHash &content, uint64_t bytes) {
  auto it = Contents.find(placeOf(content, bytes));
  if (it == Contents.end() || it->second.content != content || it->second.bytes != bytes)
    return nullptr;
  return &it->second;
}

/// What the key sent last.
Sent *SentContents::heldBy(const Key &key) {
  Sent *sent = key.hasSent ? find(key.sent, key.id.bytes) : nullptr;
  return sent && sent->holder == &key ? sent : nullptr;
}

void SentContents::put(const ContentHash &content, Key &key, uint64_t version) {
  if (Sent *last = heldBy(key); last && last->content != content) {
    last->holder = nullptr; // only the last that a key sent is found when it ends
    last->replaced = true;
    last->kernelWrote = key.range->written.load(std::memory_order_relaxed);
  }
  uint64_t place = placeOf(content, key.id.bytes);
  auto [it, isNew] = Contents.try_emplace(place);
  Sent &sent = it->second;
  sent.content = content;
  sent.bytes = key.id.bytes;
  sent.holder = &key;
  sent.serial = key.id.serial;
  sent.version = version;
  sent.site = key.id.site;
  sent.freeSite = 0;
  sent.kernelWrote = sent.replaced = sent.untouched = false;
  key.sent = content;
  key.hasSent = true;
  if (!isNew)
    return;
  Order.push_back(place);
  if (Order.size() <= Most)
    return;
  Contents.erase(Order.front());
  Order.pop_front();
}

void SentContents::retire(const Key &key, SiteIndex freeSite, bool untouched) {
  Sent *sent = heldBy(key);
  if (!sent)
    return;
  sent->holder = nullptr;
  sent->freeSite = freeSite;
  sent->untouched = untouched;
  sent->replaced |= key.copyWrites != key.copyWritesThen; // by another line's
  sent->kernelWrote = key.lostContent || key.range->written.load(std::memory_order_relaxed);
}

void SentContents::clear() {
  Contents.clear();
  Order.clear();
}

} // namespace gpuinstr::audit
