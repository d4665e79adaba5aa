// The records under many threads, and a device that answers late and in pieces.
// SPDX-License-Identifier: Apache-2.0
#include "audit/engine/HashRecords.h"
#include <atomic>
#include <chrono>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using namespace gpuinstr;
using namespace gpuinstr::audit;

namespace {

/// Writes what a kernel would, some time after it was asked.
class LateDevice {
public:
  explicit LateDevice(Records &records) : All(static_cast<hash::Result *>(records.memory())) {}
  void launch(const Records::Place &place, ContentHash h) {
    std::lock_guard<std::mutex> lock(Mutex);
    Queue.push_back({place, h});
  }
  bool step() {
    std::unique_lock<std::mutex> lock(Mutex);
    if (Queue.empty())
      return false;
    auto [place, h] = Queue.front();
    Queue.pop_front();
    lock.unlock();
    // The seal may well come first.
    __atomic_store_n(&All[place.slot].seal, hash::seal(h, place.stamp), __ATOMIC_RELEASE);
    if (++Steps % 64 == 0) // on a loaded machine each of them takes milliseconds
      std::this_thread::yield();
    write(place, h);
    return true;
  }
  void write(const Records::Place &place, ContentHash h) {
    hash::Result &r = All[place.slot];
    __atomic_store_n(&r.second, h.second, __ATOMIC_RELEASE);
    __atomic_store_n(&r.first, h.first, __ATOMIC_RELEASE);
    __atomic_store_n(&r.seal, hash::seal(h, place.stamp), __ATOMIC_RELEASE);
  }

private:
  struct Launch {
    Records::Place place;
    ContentHash h;
  };
  hash::Result *All;
  unsigned Steps = 0;
  std::mutex Mutex;
  std::deque<Launch> Queue;
};

TEST(RecordsTest, AReleasedTicketReadsNothingWhileTheRecordChangesHands) {
  auto records = std::make_unique<Records>();
  ASSERT_TRUE(records->create());
  for (uint32_t i = 0; i + 1 < Records::Count; ++i)
    ASSERT_NE(records->begin(), 0u);
  // One record is left, and all want it.
  LateDevice device(*records);
  std::atomic<uint64_t> wrong{0}, taken{0};
  auto use = [&](Ticket ticket) {
    Records::Place place;
    if (records->announce(ticket, false, place) == EnqueueResult::None)
      device.write(place, {ticket, ~uint64_t(ticket)});
    records->release(ticket);
    for (int i = 0; i < 64; ++i)
      wrong += records->read(ticket).hasBefore;
    ++taken;
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      while (taken < 50000)
        if (Ticket ticket = records->begin())
          use(ticket);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(RecordsTest, NoReadingIsHalfWrittenOrSomeoneElses) {
  auto records = std::make_unique<Records>();
  ASSERT_TRUE(records->create());
  LateDevice device(*records);
  std::atomic<bool> over{false};
  std::atomic<uint64_t> wrong{0}, read{0}, nextValue{1};
  std::thread worker([&] {
    while (!over)
      if (!device.step())
        std::this_thread::yield();
    while (device.step())
      ;
  });
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 5000; ++i) {
        Ticket ticket = records->begin();
        Records::Place before, after;
        uint64_t value = nextValue.fetch_add(2);
        ContentHash first{value, ~value}, second{value + 1, ~value};
        bool hasBefore = ticket && records->announce(ticket, false, before) == EnqueueResult::None;
        if (hasBefore)
          device.launch(before, first);
        bool hasAfter = ticket && records->announce(ticket, true, after) == EnqueueResult::None;
        if (hasAfter && i % 5 == 0) { // the launch failed
          records->withdraw(ticket, true, after);
          hasAfter = false;
        } else if (hasAfter) {
          device.launch(after, second);
        }
        // Every third is given back at once; what it started then goes on without it.
        auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (i % 3 && !records->arrived(ticket) && std::chrono::steady_clock::now() < latest)
          std::this_thread::sleep_for(std::chrono::microseconds(10)); // the device needs a core
        Reading r = records->read(ticket);
        wrong += (r.hasBefore && (!hasBefore || r.before != first)) ||
                 (r.hasAfter && (!hasAfter || r.after != second));
        read += r.hasBefore + r.hasAfter;
        records->release(ticket);
        wrong += records->read(ticket).hasBefore; // no longer ours
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  over = true;
  worker.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(read, 1000u);
  EXPECT_TRUE(records->idle());
}

TEST(RecordsTest, TicketsAreChecked) {
  auto records = std::make_unique<Records>();
  ASSERT_TRUE(records->create());
  EXPECT_FALSE(records->read(0).hasBefore);
  records->release(0);
  records->release(12345);
  EXPECT_TRUE(records->idle());
  Ticket ticket = records->begin();
  records->release(ticket);
  records->release(ticket); // twice
  EXPECT_TRUE(records->idle());
  Records::Place place;
  EXPECT_EQ(records->announce(ticket, false, place), EnqueueResult::Failed);
  ticket = records->begin();
  EXPECT_EQ(records->announce(ticket, false, place), EnqueueResult::None);
  EXPECT_EQ(records->announce(ticket, false, place), EnqueueResult::Failed) << "once each";
  EXPECT_FALSE(records->arrived(ticket));
  records->withdraw(ticket, false, place);
  EXPECT_TRUE(records->arrived(ticket)) << "nothing to wait for";
  records->release(ticket);
}

} // namespace
