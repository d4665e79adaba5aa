// Copies and sets that come again and again, the short way: the auditor, the counters and the
// report know as much afterwards as if each had gone the long way.
// SPDX-License-Identifier: Apache-2.0
#include "TransferWays.h"
#include "cuda/DriverFacts.h"
#include <algorithm>
#include <random>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct RepeatedTransfers : TransferWaysTest {
  char answer[64] = {};

  /// A buffer is filled and brought back, as in a loop, maybe from several streams at once, while
  /// kernels and other threads write there.
  void thereAndBack(std::mt19937 &random, uint64_t stream) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const unsigned i = Segments + below(Buffers), kind = below(4);
    const bool isOrdered = below(2);
    for (int k = 0; k < 24; ++k) {
      const uint64_t on = isOrdered || k % 2 ? stream : streams[0];
      std::function<void()> meanwhile;
      if (k % 12 == 11)
        meanwhile = [this, i, on, what = below(4)] { doMeanwhile(what, i, on); };
      if (kind == 1 && k % 3 == 0)
        launch("writer", {parameter(Writes)}, {d[i]}, on);
      char *from = host.data() + (kind == 2 ? 512 * (k % 2) : 32768);
      copy(710, d[i], from, 2048, Up, on, 0, k < 12 ? meanwhile : std::function<void()>());
      if (kind == 3 && k % 3 == 0)
        launch("writer", {parameter(Writes)}, {d[i]}, on);
      if (kind != 2)
        copy(711, host.data() + 32768, d[i], 2048, Down, on, 0, meanwhile);
      if (isOrdered && k % 8 == 7)
        syncStream(on);
    }
  }
  /// Kernels, and a number that they have found: as loops that ask whether they have converged.
  void rounds(std::mt19937 &random, uint64_t stream) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const unsigned i = below(Segments + Buffers), kind = below(8);
    char *to = below(3) ? answer : host.data() + 40960;
    auto work = [&](unsigned what, uint64_t on) {
      if (what < 3)
        launch("writer", {parameter(Writes)}, {d[i]}, on);
      else if (what < 5)
        launch("reader", {parameter(Reads)}, {d[i]}, on);
      else if (what < 7)
        launch("nothing", {}, {}, on);
    };
    if (kind % 2)
      set(716, d[i] + 32768, Place - 32768);
    for (int k = 0; k < 90; ++k) {
      work(kind < 5 ? kind : kind < 7 ? k % 5 : below(8), kind == 6 && k % 16 == 15 ? stream : 0);
      if (k % 4 == 3 && kind % 3 == 0)
        work(k % 8, 0);
      std::function<void()> meanwhile;
      if (kind == 7 && k == 64)
        meanwhile = [this, i, what = below(4)] { doMeanwhile(what, std::max(i, Segments), 0); };
      fetch(714, to, d[i] + 32768, 4, below(60) == 0, meanwhile);
      if (below(40) == 0)
        below(2) ? fetch(715, answer + 16, d[i] + 32768, 4) : set(716, d[i] + 32768, 4);
      else if (below(60) == 0 && below(2))
        copy(706, d[i], d[0] + 32768, 2048, Within, stream);
      else if (below(60) == 0)
        known(); // ends it
    }
  }
  /// From one of two places; of another buffer than `i`, whose address is in there.
  void upload(unsigned j, char *piece, uint64_t bytes, uint64_t stream, int result) {
    if (piece < d[j] || piece >= d[j] + Place)
      std::memcpy(host.data() + 64, &d[j], sizeof d[j]);
    copy(704, piece, host.data() + bytes % 1024, bytes, Up, stream, result);
    std::memset(host.data() + 64, 1, sizeof d[j]);
  }
  void anyCall(std::mt19937 &random) {
    auto below = [&](unsigned count) { return unsigned(random() % count); };
    const uint64_t stream = streams[below(unsigned(streams.size()))];
    const unsigned i = below(Segments + Buffers), j = below(Segments + Buffers);
    const uint64_t bytes = below(6) ? 2048 : 300;
    const int result = below(40) == 0 ? 1 : 0;
    char *piece = d[i] + 4096 * below(3);
    const unsigned what = below(100);
    if (what < 40)
      set(700 + below(2), piece, bytes, stream, result);
    else if (what < 62)
      copy(702 + below(2), piece, d[j] + 32768, bytes, Within, stream, result);
    else if (what < 72)
      upload(below(40) == 0 ? j : i, piece, below(8) ? bytes : 8192, stream, result);
    else if (what < 78)
      copy(705, host.data() + 32768, piece, bytes, Down, stream, result);
    else if (what < 84)
      launch(what % 2 ? "writer" : "reader", {parameter(what % 2 ? Writes : Reads)}, {piece},
             stream);
    else if (what < 90)
      syncStream(stream);
    else if (what < 92)
      syncDevice();
    else if (what < 93)
      free(40, d[i]), make(i);
    else if (what < 94)
      rounds(random, stream);
    else if (what < 96 && isPinned)
      thereAndBack(random, stream);
    else if (what < 98)
      for (int k = 0; k < 60; ++k)
        what == 97 ? set(713, d[3] + 8192, 2048, stream)
                   : copyBlocking(712, d[4] + 8192, host.data(), 2048);
    else
      for (int k = 0; k < 30; ++k) // as in a loop
        below(2) ? copy(706, d[0] + 8192, d[1] + 32768, 2048, Within, streams[0])
                 : set(707, d[2] + 512 * unsigned(k), 64, streams[0]);
  }

  std::string when(audit::Event at) const {
    if (at <= event)
      return "- ";
    const uint64_t order = (at >> audit::EventsBits) - (event >> audit::EventsBits),
                   from = order ? at & ~audit::Event(0) << audit::EventsBits : event;
    return std::to_string(order) + "." + std::to_string(at - from) + " ";
  }
  /// Versions are numbers of the process: what counts is whether they hold.
  std::string knownToo(const audit::Key &key) {
    const audit::Auditor &a = audit::auditor();
    std::string text = " ";
    for (uint64_t value :
         {key.round.repeats,
          key.round.interfered,
          uint64_t(key.round.related),
          key.apart.count,
          key.apart.bytes,
          key.again.repeats,
          key.again.checked,
          key.again.unchanged,
          key.elsewhere.repeats,
          key.back.repeats,
          key.same.hostChecked,
          key.same.unseen,
          key.same.quiet,
          key.same.quietShown,
          key.quietFrom,
          uint64_t(key.mayRace),
          key.seenOccurrence,
          key.hostOccurrence,
          uint64_t(key.stream ? key.stream->handle : 1),
          uint64_t(key.caller),
          uint64_t(key.refused),
          uint64_t(key.guess),
          uint64_t(key.pending),
          key.sample ? key.sample->copyReads + key.sample->copyReadsBehind : 0,
          key.hostAddress ? key.hostAddress - reinterpret_cast<uint64_t>(host.data()) : 1})
      text += std::to_string(value) + ",";
    for (bool is : {a.version(key) == key.version, key.version == key.contentVersion,
                    key.hasContent, key.hasHost, key.content == audit::ContentHash(),
                    a.ranges.readsOf(*key.range) + key.copyReads == key.readsThen,
                    key.copyWrites == key.copyWritesThen, key.notRun == cuda::kernelsNotRun(),
                    key.hasSeen, key.hasSeen && key.seenVersion == key.version})
      text += is ? "1" : "0";
    return text;
  }
  static std::string known(const audit::Figures &f) {
    std::string text;
    for (uint64_t value :
         {f.eligible, f.eligibleBytes, f.verified, f.verifiedBytes, f.skipped[0], f.skipped[1],
          f.skipped[2], f.skipped[3], f.skipped[4], f.all.count, f.all.bytes, f.places})
      text += std::to_string(value) + " ";
    return text;
  }
  std::string known(const audit::Range &range) {
    auto since = [](uint64_t value, uint64_t from) {
      return value > from ? std::to_string(value - from) + " " : "- ";
    };
    std::string text = since(audit::LaunchStamp::order(range.writer), base) +
                       since(audit::LaunchStamp::order(range.reader), base) +
                       since(audit::LaunchStamp::order(range.irregular), base) +
                       when(range.usage.lastCopy) + when(range.usage.first) +
                       std::to_string(range.usage.lastCopySite) + " ";
    for (bool is :
         {range.used.load(), range.unused.load(), range.escaped.load(), range.global.load(),
          range.written.load(), range.isMixed(), range.unordered, range.filled, range.usage.filled,
          range.named, range.holds, audit::Ranges::unscanned.load()})
      text += is ? "1" : "0";
    std::vector<std::string> keys;
    for (const audit::KeyPlace &at : range.keys) {
      const audit::Key &key = *at.key;
      keys.push_back("\n    " + std::to_string(at.lo - range.base) + " " +
                     std::to_string(key.id.site) + " " + std::to_string(key.id.bytes) + " " +
                     std::to_string(key.occurrences) + " " + std::to_string(key.copyWrites) + " " +
                     std::to_string(key.copyReads) + (key.unread ? " u" : " -") +
                     std::to_string(key.same.repeats) + "/" + std::to_string(key.same.interfered) +
                     " " + since(key.settledAt, puts) + std::to_string(key.left.load()) + " " +
                     std::to_string(key.same.checked) + "/" + std::to_string(key.refusals) +
                     knownToo(key));
    }
    std::sort(keys.begin(), keys.end());
    for (const std::string &key : keys)
      text += key;
    return text;
  }
  std::string known() {
    audit::endRun();
    audit::Auditor &a = audit::auditor();
    std::string text;
    for (uint64_t handle : streams) {
      audit::StreamState &s = a.streams.of(handle, audit::contextOf(*Self), Self);
      text += "stream: " + std::to_string(s.lastPut > puts ? s.lastPut - puts : 0) + " " +
              std::to_string(s.putsDone > puts ? s.putsDone - puts : 0) + (s.work ? " w\n" : "\n");
    }
    for (char *at : d)
      text += "  " + known(rangeAt(at)) + "\n";
    audit::ThreadAuditState &local = audit::auditStateOf(*Self);
    const audit::CopyRow &row = local.row.of(local.row.direction);
    const bool isRow = local.row.direction != cuda::CopyDirection::Unknown;
    for (const FindingRecord &found : a.waste.records())
      text += std::to_string(int(found.key.pattern)) + "x" + std::to_string(found.count) + " ";
    return text + known(a.waste.figures) +
           (isRow ? std::to_string(row.count) + "/" + std::to_string(row.bytes) + "/" +
                        std::to_string(row.site)
                  : "no row") +
           (local.waitedAt ? " waited" : "") + (a.pageableIsLate ? " late" : "") + " " +
           std::to_string(a.pending.size()) + " pending" + (a.transferSeen ? " seen" : "") +
           (Self->launches.last.launched ? " launched" : "");
  }

  /// After each of many calls, or each so many; then what the report says but times.
  std::vector<std::string> run(const char *options, unsigned seed, bool isForced,
                               const std::vector<uint64_t> &given) {
    const int each = seed % 4 ? 5 : 1;
    begin(options, isForced, given);
    std::mt19937 random(seed);
    std::vector<std::string> all;
    for (int i = 0; i < 250; ++i) {
      earn(); // however slow this machine is
      anyCall(random);
      if (i % each == 0)
        all.push_back(known());
    }
    profile::Profile p = profileNow();
    // Once is enough where a call took long, as with a thread in it.
    // A thread's state may lie where that of an ended one lay, and go on with its cycles.
    auto isOfTime = [](const profile::Finding &f) {
      return f.pattern == Pattern::Reupload || f.pattern == Pattern::Roundtrip ||
             (f.pattern == Pattern::AllocChurn && f.message.find(":41)") != std::string::npos);
    };
    p.findings.erase(std::remove_if(p.findings.begin(), p.findings.end(), isOfTime),
                     p.findings.end());
    for (const profile::Finding &f : p.findings)
      all.push_back(f.pattern.text() + " " + f.grade.text() + " " + f.message + " x" +
                    std::to_string(f.count) + " " + std::to_string(f.bytes) + " " +
                    std::to_string(f.checked) + "/" + std::to_string(f.unchanged));
    std::sort(all.end() - std::ptrdiff_t(p.findings.size()), all.end());
    for (unsigned line = 700; line < 717; ++line)
      if (const profile::Site *row = siteAtLine(p, line))
        all.push_back(std::to_string(line) + ": " + std::to_string(row->calls) + " " +
                      std::to_string(row->failed) + " " + std::to_string(row->bytes));
    return all;
  }
};

TEST_F(RepeatedTransfers, LeaveBehindWhatTheLongWayDoes) {
  isPinned = true;
  run("audit=full", 1, true, {0}); // what a process does once
  for (const char *options : {"audit=sampled:budget=100", "audit=sampled:budget=0", "audit=full"})
    for (unsigned seed = 0; seed < 24; ++seed) {
      std::vector<uint64_t> given = {0};
      if (seed % 2)
        given = {0, 0x7711, 0x7722};
      isPinned = seed % 3 != 0;
      std::vector<std::string> shortly = run(options, seed, false, given);
      const unsigned longCalls = transferWays().calls;
      std::vector<std::string> atLength = run(options, seed, true, given);
      EXPECT_LT(longCalls + 60, transferWays().calls) << "the short way was not taken";
      auto [at, other] = std::mismatch(shortly.begin(), shortly.end(), atLength.begin());
      if (at != shortly.end())
        FAIL() << options << ", seed " << seed << ", state " << at - shortly.begin() << '\n'
               << *at << "\nthe long way:\n"
               << *other;
    }
}

} // namespace
