// The trace stays within the budget: what it leaves out of hot sites, and what never.
// SPDX-License-Identifier: Apache-2.0
#include "trace/TraceSampling.h"
#include "Support.h"
#include "TraceSupport.h"
#include "base/Clock.h"
#include "base/Part.h"
#include "base/ProcessState.h"
#include "calls/budget/OverheadBudget.h"
#include <algorithm>
#include <set>

namespace gpuinstr::test {

namespace {

/// Calls of several sites at fixed distances, on a clock of the test's own.
struct Calls {
  struct Site {
    uint32_t index;
    uint64_t periodNs, next = 0, kept = 0, all = 0;
  };
  std::vector<Site> sites;
  trace::TraceSampling sampling;
  ThreadState thread;
  uint64_t start = processStartNs();

  void run(uint64_t fromNs, uint64_t toNs) {
    thread.random = 1;
    for (Site &site : sites)
      site.next = std::max(site.next, start + fromNs + site.periodNs);
    for (;;) {
      Site &site = *std::min_element(sites.begin(), sites.end(),
                                     [](auto &a, auto &b) { return a.next < b.next; });
      if (site.next >= start + toNs)
        return;
      ++site.all;
      if (sampling.skips(site.index)) {
        sampling.dropped(site.index);
      } else {
        ++site.kept;
        sampling.keptAt(thread, site.index, false, site.next);
      }
      site.next += site.periodNs;
    }
  }
};

constexpr uint64_t Second = 1000000000;

class TraceSamplingOf : public Trace {
protected:
  void start(const std::string &budget) {
    Trace::start(":audit=off:gpu_time=off:budget=" + budget);
    overheadBudgetPart().childAfterFork();
    trace::startTraceSampling();
  }
};

TEST_F(TraceSamplingOf, AHotSiteTakesHalfTheBudgetAtMost) {
  start("2");
  Calls calls;
  calls.sites = {{3, 3000}};
  calls.run(0, 4 * Second);
  const Calls::Site &hot = calls.sites[0];
  // Later time earns half.
  constexpr uint64_t Earning = OverheadBudget::WholeNs + (4 * Second - OverheadBudget::WholeNs) / 2;
  double share = double(hot.kept * trace::recordCostNs()) / double(Earning);
  EXPECT_LT(share, 0.013) << "1 %, and what is given at the start";
  EXPECT_GT(share, 0.008);
  uint64_t dropped = 0;
  calls.sampling.eachDropped([&](SiteIndex site, uint64_t number) {
    EXPECT_EQ(site, 3u);
    dropped += number;
  });
  EXPECT_EQ(hot.kept + dropped, hot.all);
  // The other half is there for audits and device times.
  EXPECT_TRUE(overheadBudget().takeAt(10000000, processStartNs() + 4 * Second));
}

TEST_F(TraceSamplingOf, RareSitesBesideAHotOneAreKept) {
  start("2");
  Calls calls;
  calls.sites = {{3, 3000}, {4, 20000000}, {700, 50000000}};
  calls.run(0, 2 * Second);
  EXPECT_LT(calls.sites[0].kept, calls.sites[0].all / 2);
  EXPECT_GT(calls.sites[1].kept, 64u) << "the first ones, and most of the others";
  EXPECT_EQ(calls.sites[2].kept, calls.sites[2].all) << "fewer than the first ones";
}

TEST_F(TraceSamplingOf, ASiteThatCoolsDownIsKeptAgain) {
  start("2");
  Calls calls;
  calls.sites = {{3, 3000}};
  calls.run(0, 2 * Second);
  calls.sites[0].periodNs = 100000; // 0.25 % of the time
  calls.run(2 * Second, 4 * Second);
  Calls::Site before = calls.sites[0];
  calls.run(4 * Second, 5 * Second);
  EXPECT_EQ(calls.sites[0].kept - before.kept, calls.sites[0].all - before.all);
}

TEST_F(TraceSamplingOf, WithAFullBudgetNothingIsLeftOut) {
  start("100");
  EXPECT_FALSE(trace::isSampled());
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 10);
  registerAll({sync});
  Function f;
  for (int n = 0; n < 50000; ++n)
    f.call(sync, [] { return 0; });
  Contents c = finish();
  EXPECT_EQ(c.records.size() + c.end.lost, 50000u);
  EXPECT_EQ(c.end.thinned, 0u);
  EXPECT_TRUE(c.thinned.empty());
}

// budget=0: every request is refused, however slow the machine is.

TEST_F(TraceSamplingOf, WhatIsLeftOutIsCountedAndSaid) {
  start("0");
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 20);
  auto *rare = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 21);
  registerAll({sync, rare});
  Function f;
  constexpr uint64_t Hot = 8000, Rare = 64; // they fit into a ring
  for (uint64_t n = 0; n < Hot; ++n)
    f.call(sync, [] { return 0; });
  for (uint64_t n = 0; n < Rare; ++n)
    f.call(rare, [] { return 0; });
  std::vector<std::string> notes;
  trace::tracePart().notes(notes, Ending::Now);
  Contents c = finish();
  EXPECT_EQ(c.records.size() + c.end.lost + c.end.thinned, Hot + Rare);
  EXPECT_GT(c.end.thinned, Hot / 4);
  EXPECT_EQ(c.thinned, (std::map<uint32_t, uint64_t>{{sync->index, c.end.thinned}}));
  auto of = [&](const gpuinstr_site *site) {
    return std::count_if(c.records.begin(), c.records.end(),
                         [&](const trace::Record &r) { return r.site == site->index; });
  };
  EXPECT_GE(of(sync), 64);
  EXPECT_EQ(of(rare), 64);
  EXPECT_TRUE(std::all_of(c.records.begin(), c.records.end(),
                          [](const trace::Record &r) { return r.start && r.start <= r.end; }));
  ASSERT_EQ(notes.size(), c.end.lost ? 2u : 1u);
  EXPECT_EQ(notes.back(), "trace: " + std::to_string(c.end.thinned) +
                              " events of hot sites are left out: budget=0 (budget=100 keeps "
                              "all)");
}

TEST_F(TraceSamplingOf, AllocationsFreesAndFailuresStay) {
  start("0");
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 30, GPUINSTR_RES_DEVICE,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_x", "float");
  auto *free = makeSite(GPUINSTR_OP_FREE, "cudaFree", 31, GPUINSTR_RES_DEVICE,
                        GPUINSTR_SITE_CUDA_ERROR, FreeSlots);
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 32, 0, GPUINSTR_SITE_CUDA_ERROR, CopySlots);
  registerAll({alloc, free, copy});
  Function f;
  constexpr int Calls = 1000;
  for (int n = 0; n < Calls; ++n) { // fits into a ring
    f.alloc(alloc, 0x7000, 64);
    f.copy(copy, 0x7000, 0x9000, 48, n % 100 == 99 ? 1 : 0);
    f.free(free, 0x7000);
  }
  Contents c = finish();
  uint64_t before = 0;
  int allocs = 0, frees = 0, failures = 0, copies = 0;
  for (const trace::Record &r : c.records) {
    allocs += r.op == GPUINSTR_OP_ALLOC;
    frees += r.op == GPUINSTR_OP_FREE;
    copies += r.op == GPUINSTR_OP_COPY;
    failures += (r.flags & trace::Failed) != 0;
    EXPECT_TRUE(before <= r.start && r.start <= r.end);
    before = r.end;
  }
  EXPECT_EQ(allocs, Calls);
  EXPECT_EQ(frees, Calls);
  EXPECT_EQ(failures, Calls / 100) << "also of calls that would have been left out";
  EXPECT_LT(copies, Calls);
  EXPECT_EQ(uint64_t(copies) + c.thinned[copy->index], uint64_t(Calls));
}

TEST_F(TraceSamplingOf, CallsInsideAndDeviceWorkGoWithTheirCall) {
  start("0");
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::sort", 40, 0, 0, 0);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 41, 0,
                        GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_STREAM));
  registerAll({region, sync});
  Function f, g;
  constexpr uint64_t Calls = 1000;
  for (uint64_t n = 0; n < Calls; ++n)
    f.call(region, [&] {
      g.call(sync, [] { return 0; });
      return g.call(sync, [] {
        trace::DeviceWork work;
        work.op = GPUINSTR_OP_LAUNCH;
        work.correlation = trace::correlationOfCall(*Self);
        work.site = Self->root.site;
        trace::addDevice(work);
        return 0;
      });
    });
  Contents c = finish();
  uint64_t regions = 0, before = 0;
  std::set<uint64_t> hosts, devices;
  for (const trace::Record &r : c.records) {
    bool device = r.type == trace::RecordType::Device;
    EXPECT_TRUE((device ? devices : hosts).insert(r.correlation).second) << "unique";
    if (device)
      continue;
    EXPECT_EQ(r.op, GPUINSTR_OP_REGION) << "no budget for the calls inside";
    EXPECT_EQ(r.leftOutInside, 2u);
    ++regions;
    before += r.leftOutBefore;
  }
  EXPECT_LT(regions, Calls / 2 + 100);
  EXPECT_EQ(devices.size(), regions);
  EXPECT_TRUE(std::includes(hosts.begin(), hosts.end(), devices.begin(), devices.end()))
      << "joined to the call around the one that started it";
  // The region's own and its device work; the calls inside.
  EXPECT_EQ(c.thinned[region->index], 2 * (Calls - regions));
  EXPECT_EQ(c.thinned[sync->index], 2 * Calls);
  // Three of each region that is left out; those behind the last record are told nowhere.
  EXPECT_EQ(before % 3, 0u);
  EXPECT_LE(before, 3 * (Calls - regions));
  EXPECT_GE(before + 3 * 2048, 3 * (Calls - regions));
}

TEST_F(TraceSamplingOf, CallsInsideComeWhileThereIsBudget) {
  start("100");
  auto *region = makeSite(GPUINSTR_OP_REGION, "cub::DeviceScan::ExclusiveSum", 40, 0, 0, 0);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 41, 0,
                        GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_STREAM));
  registerAll({region, sync});
  Function f, g;
  constexpr uint64_t Calls = 100;
  for (uint64_t n = 0; n < Calls; ++n)
    f.call(region, [&] { return g.call(sync, [] { return 0; }); });
  Contents c = finish();
  EXPECT_EQ(c.records.size(), 2 * Calls);
  for (const trace::Record &r : c.records)
    EXPECT_EQ(r.leftOutBefore + r.leftOutInside, 0u);
}

TEST_F(TraceSamplingOf, CallsInsideWaitForBudget) {
  start("2");
  trace::TraceSampling sampling;
  ThreadState thread;
  sampling.keptAt(thread, 3, false, processStartNs() + 4 * Second);
  EXPECT_TRUE(sampling.affords()) << "some records are paid for";
}

TEST_F(TraceSamplingOf, AllocationsAndFailuresInsideStay) {
  start("0");
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::sort", 40, 0, 0, 0);
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 42, GPUINSTR_RES_DEVICE,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_x", "float");
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 43, 0, GPUINSTR_SITE_CUDA_ERROR, CopySlots);
  registerAll({region, alloc, copy});
  Function f, g;
  for (int n = 0; n < 10; ++n) // the first of a site are recorded
    f.call(region, [&] {
      g.copy(copy, 0x7000, 0x9000, 48, 0);
      g.alloc(alloc, 0x7000, 64);
      g.copy(copy, 0x7000, 0x9000, 48, 1);
      return 0;
    });
  Contents c = finish();
  int allocs = 0, copies = 0, failed = 0, regions = 0;
  for (const trace::Record &r : c.records) {
    allocs += r.op == GPUINSTR_OP_ALLOC;
    copies += r.op == GPUINSTR_OP_COPY;
    failed += r.op == GPUINSTR_OP_COPY && (r.flags & trace::Failed);
    regions += r.op == GPUINSTR_OP_REGION && r.leftOutInside == 1;
  }
  EXPECT_EQ(allocs, 10);
  EXPECT_EQ(copies, 10);
  EXPECT_EQ(failed, 10);
  EXPECT_EQ(regions, 10);
}

} // namespace
} // namespace gpuinstr::test
