// Trace files: read whole, cut, damaged and foreign; several of them on one clock.
// SPDX-License-Identifier: Apache-2.0
#include "io/Failure.h"
#include "support/ParseCsv.h"
#include "support/Temporary.h"
#include "support/TraceMaker.h"
#include "trace/TraceFile.h"
#include "trace/TraceTimeline.h"
#include <chrono>

namespace gpuinstr::test {

using cli::TraceEvent;
using cli::TraceFile;

static std::string failureOf(const std::string &path) {
  try {
    TraceFile file(path);
  } catch (const cli::Failure &failure) {
    return failure.what();
  }
  return "";
}

static unsigned eventsOf(TraceFile &file) {
  unsigned n = 0;
  for (TraceEvent event; file.next(event);)
    ++n;
  return n;
}

TEST(TraceFile, HoldsWhatWasWritten) {
  Folder folder;
  TraceFile file(folder.write("a.trace", smallTrace().end(3000, 5).bytes));
  EXPECT_EQ(file.process().pid, 77u);
  EXPECT_EQ(file.process().host, "node1");
  EXPECT_EQ(file.records(), 7u);
  EXPECT_EQ(file.lost(), 5u);
  EXPECT_TRUE(file.ended());
  EXPECT_EQ(file.problem(), "");
  EXPECT_EQ(file.startNs(), 5000000u);
  EXPECT_EQ(file.endNs(), 5003000u);
  ASSERT_NE(file.site(2), nullptr);
  EXPECT_EQ(file.site(2)->callee, "cudaMemcpy");
  EXPECT_EQ(file.site(2)->arguments, std::vector<std::string>{"a, \"b\""});
  EXPECT_EQ(file.site(9), nullptr);
  EXPECT_EQ(file.thread(1)->name, "main");
  EXPECT_EQ(file.name(1), "_Z5scaleIfEvPT_i");
  EXPECT_EQ(file.devices().at(0).name, "Test GPU");
  TraceEvent event;
  ASSERT_TRUE(file.next(event));
  EXPECT_EQ(event.startNs, 5000100u) << "ticks become ns of the real-time clock";
  EXPECT_EQ(event.endNs, 5000200u);
  ASSERT_TRUE(file.next(event) && file.next(event));
  EXPECT_EQ(event.record.type, trace::RecordType::Device);
  EXPECT_EQ(event.startNs, 5000400u) << "device times are on the monotonic clock";
  file.rewind();
  EXPECT_EQ(eventsOf(file), 7u);
}

TEST(TraceFile, TellsWhatWasLeftOutWithinTheBudget) {
  Folder folder;
  std::string path =
      folder.write("a.trace", smallTrace().thinned(1, 5).thinned(2, 40).end(3000, 0, 45).bytes);
  TraceFile file(path);
  EXPECT_EQ(file.thinned(), 45u);
  EXPECT_EQ(file.thinnedSites(), (std::map<uint32_t, uint64_t>{{1, 5}, {2, 40}}));
  cli::Timeline timeline(cli::openTraces({path}));
  ASSERT_EQ(timeline.remarks().size(), 1u);
  EXPECT_EQ(timeline.remarks()[0],
            path +
                ": 45 events of hot sites were left out to stay within the budget, 40 of them at " +
                "app.cu:" + std::to_string(file.site(2)->line) + " (budget=100 keeps all)");
}

TEST(TraceFile, OlderClockEntriesAreShorter) {
  Folder folder;
  TraceMaker maker = smallTrace();
  uint64_t older[5] = {6000, 4000, 5003000, 7, 3};
  maker.entry(older).block(trace::BlockType::End);
  TraceFile file(folder.write("a.trace", maker.bytes));
  EXPECT_EQ(file.lost(), 3u);
  EXPECT_EQ(file.thinned(), 0u);
  EXPECT_EQ(file.problem(), "");
  EXPECT_TRUE(file.ended());
}

TEST(TraceFile, EveryCutIsReadUpToTheLastWholeBlock) {
  Folder folder;
  std::string whole = smallTrace().records({TraceMaker::call(3, 1, 2000, 2100)}).end(3000).bytes;
  unsigned readable = 0, events = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string path = folder.write("cut.trace", whole.substr(0, size));
    std::string failure = failureOf(path);
    if (!failure.empty()) {
      EXPECT_EQ(failure.find('\n'), std::string::npos);
      EXPECT_EQ(readable, 0u) << "what can be read stays readable as the file grows";
      continue;
    }
    ++readable;
    TraceFile file(path);
    unsigned now = eventsOf(file);
    EXPECT_GE(now, events);
    events = now;
    EXPECT_FALSE(file.ended());
  }
  EXPECT_EQ(events, 8u);
  EXPECT_GT(readable, 1000u);
}

TEST(TraceFile, ADamagedByteIsNoticed) {
  Folder folder;
  TraceMaker maker = smallTrace();
  std::size_t before = maker.bytes.size();
  std::string whole = maker.records({TraceMaker::call(3, 1, 2000, 2100)}).end(3000).bytes;
  for (std::size_t at = before; at < before + 16 + sizeof(trace::Record); ++at) {
    std::string bytes = whole;
    bytes[at] = char(bytes[at] ^ 0x40);
    TraceFile file(folder.write("damaged.trace", bytes));
    EXPECT_EQ(eventsOf(file), 7u) << "byte " << at;
    bool unknownType = at < before + 4; // another type: passed over
    EXPECT_EQ(file.problem().empty(), false) << at << unknownType;
    EXPECT_NE(file.problem().find("at byte " + std::to_string(before)), std::string::npos)
        << file.problem();
  }
}

TEST(TraceFile, WhatIsNoTraceIsNamedInOneLine) {
  Folder folder;
  EXPECT_NE(failureOf(folder.file("none")).find("No such file"), std::string::npos);
  EXPECT_NE(failureOf(folder.path()).find("a folder"), std::string::npos);
  for (const char *text : {"", "GPITRACE", "{\"traceEvents\": []}"})
    EXPECT_NE(failureOf(folder.write("a", text)).find("not a trace"), std::string::npos) << text;
  std::string newer = smallTrace().bytes;
  newer[8] = 9;
  EXPECT_NE(failureOf(folder.write("a", newer)).find("trace format 9; this gpuinstr reads 1"),
            std::string::npos);
  Result result = gpuinstr({"trace", folder.file("a"), "-o", folder.file("b.json")});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

TEST(TraceFile, BlocksAndRecordsOfTheFutureArePassedOver) {
  Folder folder;
  TraceMaker maker = smallTrace();
  maker.text("what is this").block(trace::BlockType(99));
  TraceFile file(folder.write("a.trace", maker.end(3000).bytes));
  EXPECT_EQ(eventsOf(file), 7u);
  EXPECT_TRUE(file.ended());
  EXPECT_EQ(file.problem(), "");
}

/// Slices with names that outlive them.
struct Collected : cli::Timeline::Sink {
  struct One {
    cli::Slice slice;
    trace::Record record;
    std::string name, kernel;
  };
  std::vector<One> all;
  void slice(const cli::Slice &s) override {
    all.push_back({s, *s.record, std::string(s.name), std::string(s.kernel)});
  }
};

TEST(TraceFile, TheCountOfABlockOfTheFutureIsNotWalked) {
  Folder folder;
  auto start = std::chrono::steady_clock::now();
  TraceMaker maker = smallTrace();
  maker.text("what is this").block(trace::BlockType(99), UINT32_MAX);
  TraceFile file(folder.write("a.trace", maker.end(3000).bytes));
  EXPECT_EQ(eventsOf(file), 7u);
  EXPECT_EQ(file.problem(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << "walked";
}

TEST(TraceFile, TimesThatNoClockHoldsStayInTheirOrder) {
  Folder folder;
  TraceMaker maker;
  constexpr uint64_t Hour = 3600000000000;
  maker.entry(trace::ClockEntry{0, 1000, 5000000, 0, 0, 0}).block(trace::BlockType::Clock);
  maker.entry(trace::ClockEntry{1, 1000 + Hour, 5000000 + Hour, 0, 0, 0})
      .block(trace::BlockType::Clock);
  trace::Record early = TraceMaker::call(GPUINSTR_OP_COPY, 0, 0, 0), late = early;
  early.start = early.end = uint64_t(0) - (uint64_t(1) << 40);
  late.start = late.end = uint64_t(1) << 40;
  TraceFile file(folder.write("a.trace", maker.records({early, late}).bytes));
  TraceEvent event;
  ASSERT_TRUE(file.next(event));
  EXPECT_LT(event.startNs, file.startNs());
  ASSERT_TRUE(file.next(event));
  EXPECT_GT(event.startNs, file.endNs());
}

TEST(Timeline, SeveralFilesAreOneClockAndOneNumbering) {
  Folder folder;
  folder.write("r.2.trace", smallTrace(77, 2, "node2").end(3000).bytes);
  folder.write("r.10.trace", smallTrace(78, 10).end(3000).bytes);
  cli::Timeline timeline(cli::openTraces({folder.path()}));
  ASSERT_EQ(timeline.processes().size(), 2u);
  EXPECT_EQ(timeline.processes()[0].label, "rank 2: ./app on node2") << "2 before 10";
  EXPECT_EQ(timeline.records(), 14u);
  Collected c;
  timeline.run(c, "test");
  ASSERT_EQ(c.all.size(), 14u);
  EXPECT_EQ(timeline.callsWithWork(), 4u);
  EXPECT_EQ(c.all[1].slice.correlation, 1u);
  EXPECT_EQ(c.all[2].slice.correlation, 1u);
  EXPECT_EQ(c.all[3].slice.correlation, 0u) << "a launch that was not timed";
  EXPECT_EQ(c.all[4].slice.correlation, 2u);
  EXPECT_EQ(c.all[7 + 1].slice.correlation, 3u);
  EXPECT_EQ(c.all[2].slice.start, 400u);
  EXPECT_EQ(c.all[2].name, "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(c.all[5].name, "void scale<float>(float*, int)");
  EXPECT_EQ(c.all[4].name, "cudaLaunchKernel");
  EXPECT_EQ(c.all[4].slice.stream, 13u);
  EXPECT_EQ(c.all[2].slice.stream, 7u) << "the default stream";
}

TEST(Timeline, TheSamePidOnTwoHostsIsTwoProcesses) {
  Folder folder;
  std::string a = folder.write("a", smallTrace(77, 0, "x").bytes),
              b = folder.write("b", smallTrace(77, 1, "y").bytes);
  cli::Timeline timeline(cli::openTraces({a, b}));
  EXPECT_NE(timeline.processes()[0].pid, timeline.processes()[1].pid);
}

/// One line for each kind, not for each rank.
TEST(Timeline, WhatTracesOfManyRanksLackIsSummedUp) {
  Folder folder;
  for (int rank = 0; rank < 8; ++rank) {
    TraceMaker maker = smallTrace(77 + uint32_t(rank), rank);
    if (rank < 6)
      maker.thinned(1, 5).thinned(2, 40).end(3000, rank == 3 ? 7 : 0, 45);
    std::string name = "r" + std::to_string(rank) + ".trace";
    folder.write("ranks/" + name, rank == 7 ? maker.bytes + "cut" : maker.bytes);
  }
  cli::Timeline timeline(cli::openTraces({folder.file("ranks")}));
  std::vector<std::string> lines = timeline.remarks();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].rfind("1 of 8 traces: r7.trace: cut at byte ", 0), 0u) << lines[0];
  EXPECT_EQ(lines[1], "1 of 8 traces: without an end: the process was killed or replaced, or still "
                      "runs (r6.trace)");
  EXPECT_EQ(lines[2],
            "1 of 8 traces: 7 events were lost while it was recorded (trace_size, or too fast)");
  EXPECT_EQ(lines[3], "6 of 8 traces: 270 events of hot sites were left out to stay within the "
                      "budget, 240 of them at app.cu:11 (budget=100 keeps all)");
}

TEST(Timeline, CallsSayWhatWasLeftOutBeforeAndInside) {
  Folder folder;
  TraceMaker maker = smallTrace();
  std::vector<trace::Record> calls{TraceMaker::call(GPUINSTR_OP_SYNC_DEVICE, 1, 2000, 2100)};
  calls[0].leftOutBefore = 9;
  calls[0].leftOutInside = 4;
  cli::Timeline timeline(
      cli::openTraces({folder.write("a.trace", maker.records(calls).end(3000).bytes)}));
  Collected c;
  timeline.run(c, "test");
  EXPECT_EQ(c.all.back().slice.leftOutBefore, 9u);
  EXPECT_EQ(c.all.back().slice.leftOutInside, 4u);
  EXPECT_EQ(c.all[0].slice.leftOutBefore, 0u);
  std::string out = folder.file("a.csv");
  ASSERT_EQ(gpuinstr({"trace", folder.file("a.trace"), "-o", out}).code, 0);
  auto rows = parseCsv(cli::readText(out));
  auto column = [&](const char *name) {
    return std::size_t(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  };
  EXPECT_EQ(rows.back().at(column("left_out_before")), "9");
  EXPECT_EQ(rows.back().at(column("left_out_inside")), "4");
}

TEST(Timeline, KernelNamesAreShortened) {
  EXPECT_EQ(cli::shortKernelName("void ns::scale<ns::T, 4>(float*)"), "scale");
  EXPECT_EQ(cli::shortKernelName("(anonymous namespace)::k(int)"), "k");
  EXPECT_EQ(cli::shortKernelName("saxpy"), "saxpy");
  EXPECT_EQ(cli::demangled("_Z5saxpyPf"), "saxpy(float*)");
  EXPECT_EQ(cli::demangled("plain"), "plain");
}

} // namespace gpuinstr::test
