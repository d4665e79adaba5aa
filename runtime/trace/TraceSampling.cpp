// Keeps the trace within `budget`: the first calls of each site, then one in so many of a hot one.
// SPDX-License-Identifier: Apache-2.0
#include "trace/TraceSampling.h"
#include "base/Clock.h"
#include "base/ProcessState.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "options/Options.h"
#include <algorithm>
#include <new>

namespace gpuinstr::trace {

namespace {

constexpr unsigned Unlimited = 100, Share = 2; ///< of the budget, the trace may take one half
/// A level is held for so long: neither a burst nor a moment's wealth decides.
constexpr uint64_t HoldMs = 2;
/// Until they were measured, ns.
constexpr uint64_t FirstHostNs = 150, FirstWriterNs = 100;
/// Waking up costs as well: few records say nothing of what one costs.
constexpr uint64_t FewRecords = 256;
constexpr uint64_t MostNs = 20000; ///< of one record: more is an interrupt

std::atomic<bool> Sampled{false};
std::atomic<uint64_t> HostNs{FirstHostNs}, WriterNs{FirstWriterNs};

OverheadBudget &ownShare() {
  static auto *instance = new OverheadBudget(0, 0); // leaked: used during exit
  return *instance;
}

bool affordAt(uint64_t costNs, uint64_t nowNs) {
  if (!ownShare().takeAt(costNs, nowNs))
    return false;
  if (overheadBudget().takeAt(costNs, nowNs))
    return true;
  ownShare().correct(-int64_t(costNs));
  return false;
}

void chargeAnyway(int64_t ns) {
  ownShare().correct(ns);
  overheadBudget().correct(ns);
}

/// An eighth at a time.
void approach(std::atomic<uint64_t> &mean, uint64_t ns) {
  auto before = int64_t(mean.load(std::memory_order_relaxed));
  mean.store(uint64_t(before + (int64_t(std::min(ns, MostNs)) - before) / 8),
             std::memory_order_relaxed);
}

} // namespace

void startTraceSampling() {
  unsigned budget = unsigned(options::options().budget);
  ownShare().restart(budget, processStartNs(), Share);
  HostNs.store(FirstHostNs);
  WriterNs.store(FirstWriterNs);
  Sampled.store(budget < Unlimited);
}

bool isSampled() { return Sampled.load(std::memory_order_relaxed); }

void noteHostCost(uint64_t ns) { approach(HostNs, ns); }

void noteWriterCost(uint64_t ns, uint64_t records, uint64_t device) {
  uint64_t taken = (records - device) * WriterNs.load(std::memory_order_relaxed);
  uint64_t made = device * HostNs.load(std::memory_order_relaxed);
  noteOwnCost(OwnConsumer::Trace, ns + records * HostNs.load(std::memory_order_relaxed));
  if (isSampled())
    chargeAnyway(int64_t(ns + made) - int64_t(taken));
  if (records >= FewRecords)
    approach(WriterNs, ns / records);
}

uint64_t recordCostNs() {
  return HostNs.load(std::memory_order_relaxed) + WriterNs.load(std::memory_order_relaxed);
}

TraceSampling::~TraceSampling() {
  for (auto &chunk : Chunks)
    delete[] chunk.load();
}

TraceSampling::Turn *TraceSampling::make(SiteIndex site) {
  Turn *turn = find(site);
  if (turn || site >= ChunkSize * MaxChunks)
    return turn;
  auto *chunk = new (std::nothrow) Turn[ChunkSize];
  Chunks[site / ChunkSize].store(chunk, std::memory_order_release);
  return find(site);
}

bool TraceSampling::affords() {
  if (!isSampled() || Credit > 0)
    return true;
  if (!affordAt(uint64_t(Block) * recordCostNs(), monotonicNs()))
    return false;
  Credit = Block;
  return true;
}

void TraceSampling::kept(ThreadState &thread, SiteIndex site, bool always) {
  if (isSampled())
    keptAt(thread, site, always, 0);
}

void TraceSampling::keptAt(ThreadState &thread, SiteIndex site, bool always, uint64_t nowNs) {
  Turn *turn = find(site);
  if (!turn) {
    BusyScope busy(thread);
    turn = make(site);
  }
  if (!turn)
    return;
  turn->kept += turn->kept < FirstKept;
  if (Credit > 0)
    --Credit;
  else
    settle(*turn, always, nowNs ? nowNs : monotonicNs());
  if (turn->level)
    turn->skip = nextRandom(thread) % ((2u << turn->level) - 1);
}

/// The last block is used up: another one, or this record alone at the expense of what comes.
void TraceSampling::settle(Turn &turn, bool always, uint64_t nowNs) {
  uint64_t cost = recordCostNs();
  // Where records are rare, each of them asks: a site that cools down is soon kept again.
  int32_t block = std::max(1, Block >> turn.level);
  bool paid = affordAt(uint64_t(block) * cost, nowNs);
  if (paid)
    Credit = block - 1;
  else
    chargeAnyway(int64_t(cost));
  auto nowMs = uint32_t(nowNs / 1000000);
  bool rests = nowMs - turn.changedMs < HoldMs;
  if (always || turn.kept < FirstKept || rests)
    return;
  if (!paid && turn.level < MostLevel)
    ++turn.level;
  else if (paid && turn.level > 0)
    --turn.level;
  else
    return;
  turn.changedMs = nowMs;
}

} // namespace gpuinstr::trace
