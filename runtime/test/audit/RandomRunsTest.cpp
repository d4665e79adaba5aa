// Random programs of repeats and of what breaks their rows: as much is known of them as on the long
// way.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/repeats/Run.h"
#include "audit/state/ThreadAuditState.h"
#include "audit/state/WasteFindings.h"
#include "calls/budget/OverheadBudget.h"
#include <algorithm>
#include <random>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct RandomRuns : AuditTest {
  static constexpr unsigned Buffers = 3, Streams = 3;
  static constexpr uint64_t Small = 4096, Large = Bytes / 2, Event = 0x9000;
  std::vector<char> host = std::vector<char>(2 * Bytes), pageable = host, out = host;
  std::vector<char> place[Buffers] = {host, host, host};
  char *d[Buffers] = {};
  uint64_t stream[Streams] = {};
  std::mt19937 random;
  unsigned draw(unsigned n) { return unsigned(random() % n); }

  struct Row {
    unsigned kind, buffer, at, value;
    uint64_t bytes, offset;
    bool fails, isLookedAt; ///< the next one
  };

  void TearDown() override {
    audit::FastPathsClosed = false;
    AuditTest::TearDown();
  }

  /// One whose body may fail, or during which another thread looks.
  void call(gpuinstr_site *site, Row &row, char *dst, const char *src, uint64_t kind) {
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(dst);
    f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(src);
    f.frame.slot[GPUINSTR_SLOT_BYTES] = row.bytes;
    f.frame.slot[GPUINSTR_SLOT_KIND] = kind;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = stream[row.at];
    const bool looks = std::exchange(row.isLookedAt, false);
    const bool fails = std::exchange(row.fails, false);
    f.call(site, [&] {
      if (looks)
        std::thread(audit::auditFigures).join();
      if (!fails && src)
        std::memmove(dst, src, row.bytes);
      else if (!fails)
        std::memset(dst, int(kind), row.bytes);
      return int(fails);
    });
  }
  void one(Row &row) {
    overheadBudget().correct(-100000000); // however slow this machine is
    char *to = d[row.buffer], *other = d[(row.buffer + 1) % Buffers];
    auto copy = [&](char *dst, const char *src, uint64_t kind) {
      call(site(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 20 + row.kind,
                CopySlots | bit(GPUINSTR_SLOT_STREAM), 0, GPUINSTR_SITE_ASYNC),
           row, dst, src, kind);
    };
    auto set = [&] {
      const uint32_t slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_KIND) |
                             bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_STREAM);
      call(site(GPUINSTR_OP_SET, "cudaMemsetAsync", 20 + row.kind, slots, 0, GPUINSTR_SITE_ASYNC),
           row, to, nullptr, row.value);
    };
    switch (row.kind) {
    case 0:
    case 1:
    case 2:
      return copy(to, host.data() + row.offset, 1);
    case 3:
    case 4:
      return set();
    case 5:
      return copy(to, other, 3);
    case 6:
      return copy(to, pageable.data(), 1);
    case 7:
      return copy(out.data(), to, 2);
    case 8:
      return upload(28, to, host.data() + row.offset, row.bytes);
    default:
      return AuditTest::set(29, to, int(row.value), row.bytes);
    }
  }
  void renew(unsigned i) {
    free(40 + i, d[i]);
    d[i] = alloc(10 + i, Bytes, GPUINSTR_RES_DEVICE, place[i].data());
  }

  void disturb(Row &row) {
    const unsigned which = draw(Buffers), more = draw(8);
    const uint64_t at = stream[draw(Streams)];
    Row other = row;
    switch (draw(27)) {
    case 0:
      return launch("writer", {parameter(Writes)}, {d[row.buffer]}, at);
    case 1:
      return launch("reader", {parameter(Reads)}, {d[row.buffer]}, at);
    case 2:
      return launch("changes", {parameter(Reads | Writes)}, {d[which]}, at);
    case 3:
      return launch("nothing", {}, {}, at);
    case 4:
      return launch("unseen", {parameter(Unseen)}, {d[which]}, at);
    case 5:
      other.kind = draw(10);
      other.buffer = which;
      for (unsigned i = 0; i <= more / 3; ++i)
        one(other);
      return;
    case 6:
      other.offset = Bytes;
      return one(other);
    case 7:
      return renew(which);
    case 8:
      return renew(row.buffer);
    case 9:
      return free(45, alloc(15, Small));
    case 10:
      return syncStream(at);
    case 11:
      return syncDevice();
    case 12:
    case 13:
      row.fails = true;
      return;
    case 14:
    case 15:
      row.isLookedAt = true;
      return;
    case 16:
      host[row.offset + draw(uint32_t(row.bytes))] ^= 1;
      return;
    case 17:
      row.value ^= 1;
      return;
    case 18:
      row.at = draw(Streams);
      return;
    case 19:
      row.bytes = row.bytes == Large ? Small : Large;
      return;
    case 20:
      row.buffer = which;
      return;
    case 21:
      return download(30, out.data(), d[which], Small);
    case 22:
      return simple(GPUINSTR_OP_RECORD_EVENT, "cudaEventRecord", 902, at, Event);
    case 23:
      return simple(GPUINSTR_OP_WAIT_EVENT, "cudaStreamWaitEvent", 903, at, Event);
    case 24:
      return simple(GPUINSTR_OP_SYNC_EVENT, "cudaEventSynchronize", 904, 0, Event);
    case 25:
      stream[2] = makeStream(more % 2);
      return;
    default:
      return void(profileNow());
    }
  }
  void row() {
    Row row = {draw(3) ? draw(6) : draw(10),
               draw(Buffers),
               draw(2) ? 0 : draw(Streams),
               draw(2),
               draw(2) ? Large : Small,
               0,
               false,
               false};
    if (draw(4))
      renew(row.buffer);
    const unsigned rounds = 1 + draw(5), times = 1 + draw(draw(2) ? 20 : 150), seldom = draw(60);
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned i = 0; i < times; ++i) {
        one(row);
        if (draw(8 + seldom) == 0)
          disturb(row);
      }
      if (draw(3))
        disturb(row);
    }
  }

  void begin(unsigned seed, const char *options) {
    random.seed(seed);
    start(options);
    audit::auditStateOf(*thisThread()).row = audit::CopyRows(); // a former program's
    memory.clear();
    for (size_t i = 0; i < host.size(); ++i)
      pageable[i] = host[i] = char(i * 31 + i / 251);
    for (unsigned i = 0; i < Buffers; ++i) {
      std::fill(place[i].begin(), place[i].end(), 0);
      d[i] = alloc(10 + i, Bytes, GPUINSTR_RES_DEVICE, place[i].data());
    }
    for (unsigned i = 1; i < Streams; ++i)
      stream[i] = makeStream(i == 2);
    alloc(16, host.size(), GPUINSTR_RES_PINNED, host.data());
  }
  std::string known(unsigned seed, bool closed, const char *options) {
    begin(seed, options);
    audit::FastPathsClosed = closed;
    std::string text;
    for (unsigned rows = 1 + draw(6), i = 0; i < rows; ++i) {
      row();
      const audit::Figures f = audit::auditFigures();
      text += std::to_string(f.eligible) + " " + std::to_string(f.all.count) + " " +
              std::to_string(f.all.bytes) + "; ";
    }
    std::vector<std::string> lines;
    for (const profile::Finding &found : profileNow().findings)
      lines.push_back("\n" + found.pattern.text() + " " + found.grade.text() + " x" +
                      std::to_string(found.count) + " " + std::to_string(found.bytes) + " " +
                      found.message);
    std::sort(lines.begin(), lines.end());
    for (const std::string &line : lines)
      text += line;
    return text;
  }
};

TEST_F(RandomRuns, AsMuchIsKnownAsOnTheLongWay) {
  constexpr unsigned Seeds = 60, Tries = 4; // a call that the host was held up in is a long one
  for (const char *options : {"audit=sampled:budget=100", "audit=sampled:budget=0"})
    for (unsigned seed = 1; seed <= Seeds; ++seed) {
      std::string shortly, atLength;
      for (unsigned i = 0; i < Tries && (i == 0 || shortly != atLength); ++i) {
        shortly = known(seed, false, options);
        atLength = known(seed, true, options);
      }
      EXPECT_EQ(shortly, atLength) << options << " " << seed;
    }
}

} // namespace
