// Findings as they are made, before they become text.
// SPDX-License-Identifier: Apache-2.0
#include "findings/Findings.h"
#include "base/Hash.h"
#include "base/Part.h"
#include "base/text/Numbered.h"
#include "findings/IgnoredErrors.h"
#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace gpuinstr {

namespace {

struct KeyHash {
  size_t operator()(const FindingKey &k) const {
    uint64_t h = (uint64_t(k.pattern) << 56) | (uint64_t(k.grade) << 48) | k.resource;
    h = hashMix(h, (uint64_t(k.site) << 32) | k.caller);
    h = hashMix(h, (uint64_t(k.related) << 32) | k.name);
    h = hashMix(h, (uint64_t(k.owner) << 32) | k.ownerCaller);
    return hashMix(h, (uint64_t(uint32_t(k.error)) << 1) | k.driverError);
  }
};

struct Store {
  std::mutex mutex;
  std::vector<FindingRecord> records;
  std::unordered_map<FindingKey, size_t, KeyHash> index;
};

Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

} // namespace

void KernelUses::add(SiteIndex site, uint8_t access) {
  constexpr size_t Most = 8;
  for (auto &[knownSite, knownAccess] : known)
    if (knownSite == site) {
      knownAccess |= access;
      return;
    }
  if (known.size() < Most)
    known.emplace_back(site, access);
  else
    more = true;
}

void KernelUses::add(const KernelUses &other) {
  for (auto &[site, access] : other.known)
    add(site, access);
  more |= other.more;
}

namespace {

/// `times` of so many bytes each.
void addOccurrences(FindingRecord &record, uint64_t bytes, uint64_t times) {
  record.each = record.count == 0 || record.each == bytes ? bytes : 0;
  record.count += times;
  record.bytes += bytes * times;
}

} // namespace

bool FindingKey::operator==(const FindingKey &o) const {
  return pattern == o.pattern && grade == o.grade && site == o.site && caller == o.caller &&
         related == o.related && owner == o.owner && ownerCaller == o.ownerCaller &&
         resource == o.resource && name == o.name && error == o.error &&
         driverError == o.driverError;
}

void recordFinding(const FindingKey &key, uint64_t bytes,
                   const std::function<void(FindingRecord &)> &detail, uint64_t times) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  FindingRecord fresh;
  fresh.key = key;
  FindingRecord &record = s.records[placeOf(s.records, s.index, key, fresh)];
  addOccurrences(record, bytes, times);
  if (detail)
    detail(record);
}

FindingRecord &addToRecords(std::vector<FindingRecord> &records, const FindingKey &key,
                            uint64_t bytes, uint64_t times) {
  auto known = std::find_if(records.begin(), records.end(),
                            [&](const FindingRecord &record) { return record.key == key; });
  if (known == records.end()) {
    known = records.emplace(known);
    known->key = key;
  }
  addOccurrences(*known, bytes, times);
  return *known;
}

std::vector<FindingRecord> recordedFindings() {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  return s.records;
}

namespace {

/// Errors that running threads hold: nobody will ask any more.
void addUnasked(std::vector<FindingRecord> &records) {
  for (const PendingError &pending : pendingErrors())
    addToRecords(records, pendingKey(pending), 0, pending.count)
        .noteRightKind(pending.rightKind, pending.count);
}

class FindingsPart : public Part {
public:
  void start() override { addErrorObserver(); }
  void lock() override { store().mutex.lock(); }
  void unlock() override { store().mutex.unlock(); }
  void childAfterFork() override { reset(); }
  void reset() override {
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.mutex);
    s.records.clear();
    s.index.clear();
  }
  void findings(std::vector<FindingRecord> &to, Ending ending) override {
    for (FindingRecord &record : recordedFindings())
      to.push_back(std::move(record));
    if (ending != Ending::Now)
      addUnasked(to);
  }
};

} // namespace

Part &findingsPart() {
  static Part *part = new FindingsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
