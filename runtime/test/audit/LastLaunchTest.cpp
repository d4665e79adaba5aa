// A launch like the thread's last one is known by less than another: as much is known of it.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/scheduling/Launches.h"
#include "calls/sites/Sites.h"
#include "cuda/CaptureTracker.h"
#include <random>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct LastLaunchTest : AuditTest {
  static constexpr unsigned Buffers = 2, Streams = 3;
  std::vector<char> host = std::vector<char>(Bytes, 7);
  std::vector<char> place[Buffers] = {host, host};
  char *d[Buffers] = {};
  uint64_t stream[Streams] = {};
  std::mt19937 random;
  unsigned draw(unsigned n) { return unsigned(random() % n); }

  static LastLaunch &last() { return Self->launches.last; }
  static audit::StreamState &stateOf(uint64_t handle) {
    return audit::streamOf(*thisThread(), handle);
  }
  void SetUp() override {
    AuditTest::SetUp();
    begin();
  }
  void begin() {
    for (unsigned i = 0; i < Buffers; ++i)
      d[i] = alloc(10 + i, Bytes, GPUINSTR_RES_DEVICE, place[i].data());
    for (unsigned i = 1; i < Streams; ++i)
      stream[i] = makeStream(i == 2);
  }
  /// Another stream, which the driver gives the same handle.
  void renew(uint64_t handle) {
    f.frame.slot[GPUINSTR_SLOT_DST] = handle;
    f.call(site(GPUINSTR_OP_DESTROY, "cudaStreamDestroy", 851, bit(GPUINSTR_SLOT_DST),
                GPUINSTR_RES_STREAM),
           [] { return 0; });
    uint64_t result = 0;
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&result);
    f.call(site(GPUINSTR_OP_CREATE, "cudaStreamCreate", 852, bit(GPUINSTR_SLOT_DST),
                GPUINSTR_RES_STREAM),
           [&] {
             result = handle;
             return 0;
           });
  }
};

TEST_F(LastLaunchTest, HoldsForTheSameKernelInTheSameStream) {
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  ASSERT_NE(last().slots, 0u);
  const uint64_t before = audit::Ranges::launches;
  last().launched = false;
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  EXPECT_EQ(audit::Ranges::launches, before + 1);
  EXPECT_EQ(stateOf(stream[1]).lastLaunch, before + 1);
  EXPECT_TRUE(last().launched);
  launch("plain", {}, {}, stream[2], GPUINSTR_KERNEL_ENDS);
  EXPECT_EQ(stateOf(stream[1]).lastLaunch, before + 1);
  EXPECT_EQ(stateOf(stream[2]).lastLaunch, before + 2);
}

TEST_F(LastLaunchTest, DoesNotHoldInAnotherStreamOfTheSameHandle) {
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  const audit::StreamState &old = stateOf(stream[1]);
  renew(stream[1]);
  const uint64_t before = old.lastLaunch;
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  EXPECT_NE(&stateOf(stream[1]), &old);
  EXPECT_EQ(old.lastLaunch, before);
}

TEST_F(LastLaunchTest, DoesNotHoldWhereDefaultStreamsAreOthers) {
  // Compiled for default streams of threads.
  const uint32_t slots =
      bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_ARGS) | bit(GPUINSTR_SLOT_STREAM);
  gpuinstr_site *other = site(GPUINSTR_OP_LAUNCH, "plain", 801, slots, 0, GPUINSTR_SITE_PER_THREAD);
  launch("plain", {}, {}, 0, GPUINSTR_KERNEL_ENDS);
  launch("plain", {}, {}, 0, GPUINSTR_KERNEL_ENDS);
  const uint64_t before = stateOf(0).lastLaunch;
  f.call(other, [] { return 0; });
  EXPECT_EQ(stateOf(0).lastLaunch, before);
  EXPECT_EQ(stateOf(2).lastLaunch, before + 1);
}

TEST_F(LastLaunchTest, WaitsForLooksThatAreUnderWay) {
  start("audit=sampled:budget=100");
  d[0] = alloc(10);
  const uint64_t one = makeStream(true), two = makeStream(true);
  uploadAsync(20, d[0], host.data(), one);
  syncStream(two);
  launch("waits", {}, {}, two);
  syncStream(two);
  ASSERT_NE(last().slots, 0u);
  engine.late = true;
  uploadAsync(20, d[0], host.data(), one);
  ASSERT_NE(audit::auditor().underWay.load(), 0u);
  launch("waits", {}, {}, two);
  EXPECT_EQ(engine.behind, (decltype(engine.behind){{one, two}}));
  start("budget=2");
}

TEST_F(LastLaunchTest, DoesNotHoldOnAnotherDevice) {
  launch("plain", {}, {}, 0, GPUINSTR_KERNEL_ENDS);
  simple(GPUINSTR_OP_SET_DEVICE, "cudaSetDevice", 860);
  EXPECT_EQ(last().slots, 0u);
}

TEST_F(LastLaunchTest, ALaunchIntoACaptureIsNone) {
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  cuda::Captures.beginning();
  launch("plain", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS);
  EXPECT_EQ(last().slots, 0u) << "which of them go into it, the driver says";
  cuda::Captures.forget();
}

TEST_F(LastLaunchTest, ArgumentsOfTheNextOneCount) {
  auto writes = [&](const void *memory) {
    launch("writes", {parameter(Writes)}, {memory}, stream[1], GPUINSTR_KERNEL_ENDS);
  };
  writes(d[0]);
  writes(d[0]);
  EXPECT_EQ(finding("unused-allocation").count, 1u);
  writes(d[1]);
  EXPECT_TRUE(none("unused-allocation"));
}

TEST_F(LastLaunchTest, APointerBeforeABufferLeadsThereEachTime) {
  std::vector<char> both(2 * Bytes);
  alloc(50, Bytes, GPUINSTR_RES_DEVICE, both.data());
  const char *second = alloc(51, Bytes, GPUINSTR_RES_DEVICE, both.data() + Bytes);
  const uint64_t address = reinterpret_cast<uint64_t>(second);
  for (int i = 0; i < 4; ++i) {
    launch("from-one", {parameter(Reads | Writes)}, {second - 8}, 0,
           GPUINSTR_KERNEL_ENDS | GPUINSTR_KERNEL_KEEPS_GLOBALS);
    const audit::Range *range = audit::auditor().ranges.find(address);
    EXPECT_EQ(audit::LaunchStamp::order(range->writer), audit::Ranges::launches) << i;
  }
}

TEST_F(LastLaunchTest, WithoutArgumentsAnythingMayBeTouched) {
  launch("writes", {parameter(Writes)}, {d[0]}, 0, GPUINSTR_KERNEL_ENDS);
  const uint64_t before = audit::Ranges::unknownWrites;
  f.frame.slot[GPUINSTR_SLOT_ARGS] = 0;
  f.call(const_cast<gpuinstr_site *>(f.frame.site), [] { return 0; });
  EXPECT_EQ(audit::Ranges::unknownWrites, before + 1);
}

/// Numbers are of what the program did, not of the process.
struct RandomLaunches : LastLaunchTest {
  static constexpr unsigned Kernels = 11;
  bool atLength = false;

  /// `offset`: bytes into each buffer.
  void one(unsigned kernel, unsigned buffer, unsigned at, unsigned offset = 0) {
    constexpr uint8_t Regular = GPUINSTR_ACCESS_REGULAR;
    constexpr uint32_t Plain = GPUINSTR_KERNEL_ENDS | GPUINSTR_KERNEL_KEEPS_GLOBALS;
    const gpuinstr_param number = parameter(Unseen, 8, 0);
    static const struct {
      const char *name;
      std::vector<gpuinstr_param> parameters;
      uint32_t flags, module;
    } All[Kernels] = {
        {"nothing", {}, GPUINSTR_KERNEL_ENDS, 0},
        {"waits", {}, 0, 0},
        {"writes-ending", {parameter(Writes)}, GPUINSTR_KERNEL_ENDS, 0},
        {"reads-waiting", {parameter(Reads)}, 0, 0},
        {"unseen-ending", {parameter(Unseen)}, GPUINSTR_KERNEL_ENDS, 0},
        {"escapes", {parameter(Reads | Escapes), parameter(Writes)}, 0, 0},
        {"there-and-back", {parameter(Reads), parameter(Writes | Regular)}, Plain, 0},
        {"updates", {parameter(Reads | Writes | Regular)}, Plain, 0},
        {"scatters", {parameter(Reads), parameter(Writes), number}, Plain, 0},
        {"into-itself", {parameter(Reads), parameter(Writes | Regular), parameter(Reads)}, Plain},
        {"passes", {parameter(0), parameter(Writes | Regular)}, Plain, 0},
    };
    const auto &k = All[kernel];
    std::vector<const void *> values;
    for (unsigned i = 0; i < k.parameters.size(); ++i)
      values.push_back(k.parameters[i].pointer ? d[(buffer + i) % Buffers] + offset : nullptr);
    launchLine = 800 + draw(2);
    if (atLength)
      last().slots = 0;
    launch(k.name, k.parameters, values, stream[at], k.flags);
  }
  void disturb() {
    const unsigned which = draw(Buffers), at = 1 + draw(Streams - 1);
    switch (draw(12)) {
    case 0:
      free(40 + which, d[which]);
      d[which] = alloc(10 + which, Bytes, GPUINSTR_RES_DEVICE, place[which].data());
      return;
    case 1:
      return renew(stream[at]);
    case 2:
      return syncStream(stream[at]);
    case 3:
      return syncDevice();
    case 4:
      return forgetKernelHandles();
    case 5:
      noteManagedAsked(draw(2));
      return;
    case 6:
      return simple(GPUINSTR_OP_SET_DEVICE, "cudaSetDevice", 860);
    case 7:
      cuda::Captures.beginning();
      one(draw(Kernels), which, at);
      return cuda::Captures.forget();
    case 8:
      engine.late = true;
      return;
    case 9:
      return engine.arrive();
    case 10:
      std::thread([this] { launch("nothing", {}, {}, stream[1], GPUINSTR_KERNEL_ENDS); }).join();
      return;
    default:
      for (unsigned i = 0; i < 3; ++i)
        uploadAsync(20 + which, d[which], host.data(), stream[draw(Streams)]);
    }
  }
  /// Of the range that launches stamp.
  static std::string knownOf(const char *address, uint64_t before) {
    const audit::Range *range = audit::auditor().ranges.find(reinterpret_cast<uint64_t>(address));
    std::string text;
    auto add = [&](uint64_t value) { text += std::to_string(value) + " "; };
    for (uint64_t stamp : {range->writer.load(), range->reader.load(), range->irregular.load()}) {
      const uint64_t order = audit::LaunchStamp::order(stamp);
      add(order > before ? order - before : 0);
      add(audit::LaunchStamp::stream(stamp) == audit::LaunchStamp::Several);
    }
    add(uint64_t(range->use.load()));
    add(range->written), add(range->unused), add(range->escaped);
    add(range->users.lastSite()), add(range->users.lastWriter()), add(range->users.firstWriter());
    KernelUses uses;
    range->users.addTo(uses);
    for (const auto &[site, access] : uses.known)
      add(site), add(access);
    return text + "| ";
  }
  std::string known(unsigned seed) {
    random.seed(seed);
    start(draw(2) ? "audit=full" : "audit=sampled:budget=100");
    engine.late = false;
    engine.behind.clear();
    memory.clear();
    begin();
    const audit::AuditHotState &hot = audit::AuditHot;
    auto sum = [&] {
      return std::vector<uint64_t>{hot.launches, hot.unknownWrites, hot.unknownUses, hot.follows,
                                   hot.variableWrites};
    };
    const std::vector<uint64_t> before = sum();
    std::string text;
    unsigned kernel, at, buffer, offset;
    auto choose = [&] {
      const unsigned offsets[] = {0, 0, 64, Bytes - 100};
      kernel = draw(Kernels), at = draw(Streams), buffer = draw(Buffers), offset = offsets[draw(4)];
    };
    choose();
    const bool turns = draw(2);
    for (unsigned rows = 2 + draw(8); rows; --rows) {
      for (unsigned times = 1 + draw(6); times; --times)
        one(kernel, turns ? buffer++ : buffer, at, offset);
      const std::vector<uint64_t> now = sum();
      for (size_t i = 0; i < now.size(); ++i)
        text += std::to_string(now[i] - before[i]) + " ";
      const audit::StreamState &s = stateOf(stream[at]);
      for (uint64_t order : {s.lastLaunch.load(), s.lastWaiting.load(), s.done.load()})
        text += order > before[0] ? std::to_string(order - before[0]) + " " : "- ";
      for (char *buffer : d)
        text += knownOf(buffer, before[0]);
      text += std::string(s.work ? "work" : "") + (last().launched ? " launched" : "") + "; ";
      if (draw(2))
        last().launched = false;
      disturb();
      if (draw(2))
        choose();
    }
    text += std::to_string(engine.behind.size());
    engine.arrive();
    for (const profile::Finding &found : profileNow().findings)
      text += "\n" + found.pattern.text() + " " + found.grade.text() + " x" +
              std::to_string(found.count) + " " + found.message;
    noteManagedAsked(false);
    return text;
  }
};

TEST_F(RandomLaunches, AsMuchIsKnownAsOfOthers) {
  unsigned held = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    atLength = false;
    const std::string shortly = known(seed);
    held += last().slots != 0;
    atLength = true;
    EXPECT_EQ(shortly, known(seed)) << seed;
  }
  EXPECT_GT(held, 50u) << "or nothing was compared";
}

} // namespace
