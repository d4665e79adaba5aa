// Rows of wrappers: where they stand, what they are called, and what tells them apart.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/CallerRows.h"
#include "Support.h"
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace gpuinstr::test {
namespace {

constexpr uint32_t Wrapper = GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_WRAPPER;

class CallerRows : public ::testing::Test {
protected:
  void SetUp() override {
    table();
    FakeDriver::install();
    forgetAll();
  }
  void TearDown() override { forgetAll(); }

  static gpuinstr_site *makeForwarding(unsigned line, const char *callee) {
    gpuinstr_site *site = makeCaller(line, callee);
    site->flags |= GPUINSTR_SITE_WRAPPER;
    return site;
  }
  static void call(const gpuinstr_site *site, std::vector<const gpuinstr_site *> callers,
                   int result = 0) {
    Function f;
    for (size_t i = 0; i < callers.size(); ++i)
      f.frame.callers[i] = callers[i];
    f.call(site, [=] { return result; });
  }
  /// The rows of calls at a line: its entry as a caller is none.
  static std::vector<const profile::Site *> rowsAt(const profile::Profile &p, unsigned line) {
    std::vector<const profile::Site *> rows;
    for (const profile::Site &site : p.sites)
      if (site.line == line && site.calls)
        rows.push_back(&site);
    return rows;
  }
  static std::vector<unsigned> linesOf(const profile::Profile &p,
                                       const std::vector<std::string> &ids) {
    std::vector<unsigned> lines;
    for (const std::string &id : ids)
      for (const profile::Site &site : p.sites)
        if (site.id == id)
          lines.push_back(site.line);
    return lines;
  }
};

using Lines = std::vector<unsigned>;

TEST_F(CallerRows, EachLineThatUsesAWrapperHasItsOwn) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 600, 0, Wrapper);
  auto *first = makeCaller(601, "Stream::wait"), *second = makeCaller(602, "Stream::wait");
  call(wait, {first});
  call(wait, {second});
  call(wait, {second}, 700);
  auto p = profileNow();
  EXPECT_TRUE(rowsAt(p, 600).empty());
  ASSERT_EQ(rowsAt(p, 601).size(), 1u);
  ASSERT_EQ(rowsAt(p, 602).size(), 1u);
  const profile::Site &row = *rowsAt(p, 602)[0];
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.failed, 1u);
  EXPECT_EQ(row.kind, profile::SiteKind::Sync);
  EXPECT_EQ(row.callee, "cudaDeviceSynchronize");
  EXPECT_EQ(linesOf(p, row.via), Lines{600});
  EXPECT_EQ(row.caller, "");
}

TEST_F(CallerRows, WhatIsNoWrapperKeepsItsLine) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 603);
  call(wait, {makeCaller(604, "step")});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 603).size(), 1u);
  EXPECT_TRUE(rowsAt(p, 603)[0]->via.empty());
  EXPECT_EQ(linesOf(p, {rowsAt(p, 603)[0]->caller}), Lines{604});
}

TEST_F(CallerRows, AWrapperThatNobodyKnownCalledKeepsItsLine) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 605, 0, Wrapper);
  call(wait, {});
  EXPECT_EQ(rowsAt(profileNow(), 605).size(), 1u);
}

TEST_F(CallerRows, WrappersOfWrappersEndWhereOneIsNone) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 610, 0, Wrapper);
  auto *inner = makeForwarding(611, "Stream::wait"), *outer = makeForwarding(612, "Queue::wait");
  call(wait, {inner, outer, makeCaller(613, "Pool::wait"), makeCaller(614, "run")});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 613).size(), 1u);
  EXPECT_EQ(linesOf(p, rowsAt(p, 613)[0]->via), (Lines{612, 611, 610}));
  EXPECT_EQ(linesOf(p, {rowsAt(p, 613)[0]->caller}), Lines{614});
}

TEST_F(CallerRows, AChainOfWrappersOnlyEndsAtTheOutermostKnown) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 615, 0, Wrapper);
  call(wait, {makeForwarding(616, "wait"), makeForwarding(617, "wait")});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 617).size(), 1u);
  EXPECT_EQ(linesOf(p, rowsAt(p, 617)[0]->via), (Lines{616, 615}));
}

TEST_F(CallerRows, FurtherCallersAreAddedToTheNearest) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 620);
  auto *near = makeCaller(621, "step"), *far = makeCaller(622, "run");
  call(wait, {near, far});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 620).size(), 1u);
  const std::string caller = rowsAt(p, 620)[0]->caller;
  EXPECT_EQ(linesOf(p, {caller}), Lines{621});
  for (const profile::Site &site : p.sites)
    if (site.id == caller)
      EXPECT_EQ(linesOf(p, {site.caller}), Lines{622});
  // Other callers of the nearest one are another chain.
  call(wait, {near, makeCaller(623, "main")});
  EXPECT_EQ(rowsAt(profileNow(), 620)[0]->caller, "");
}

TEST_F(CallerRows, LeaksAreNamedAndIgnoredWhereTheWrapperIsUsed) {
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 630, GPUINSTR_RES_DEVICE, Wrapper,
                         AllocSlots, "this->data", "float");
  auto *kept = makeCaller(631, "Buffer::Buffer", "weights");
  auto *known = makeCaller(632, "Buffer::Buffer", "table");
  kept->flags |= GPUINSTR_SITE_RECEIVES;
  known->flags |= GPUINSTR_SITE_RECEIVES;
  known->ignore = "leak lives as long as the process";
  Function(kept).alloc(alloc, 0x630000, 64);
  Function(known).alloc(alloc, 0x640000, 32);
  auto p = profileAtExit();
  std::vector<profile::Finding> leaks = findings(p, "leak");
  ASSERT_EQ(leaks.size(), 2u);
  for (const profile::Finding &leak : leaks) {
    bool ignored = leak.bytes == 32;
    EXPECT_EQ(linesOf(p, {leak.site}), Lines{ignored ? 632u : 631u});
    EXPECT_EQ(leak.variable, ignored ? "table" : "weights");
    EXPECT_EQ(leak.caller, "");
    EXPECT_EQ(leak.suppressed, ignored);
  }
}

TEST_F(CallerRows, APointerToAPointerIsWhatItPointsTo) {
  static const char *const inside[] = {"&(*event)->memory", "event", nullptr};
  static const char *const plain[] = {"&made"}, *const further[] = {"list"};
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 638, GPUINSTR_RES_DEVICE, Wrapper,
                         AllocSlots, "(*event)->memory", "float");
  alloc->arguments = inside;
  alloc->num_arguments = 1;
  auto *first = makeCaller(639, "make"), *second = makeCaller(641, "make");
  first->arguments = plain;
  second->arguments = further;
  first->num_arguments = second->num_arguments = 1;
  Function(first).alloc(alloc, 0x680000, 64);
  Function(second).alloc(alloc, 0x690000, 32);
  std::map<uint64_t, std::string> names;
  for (const profile::Finding &leak : findings(profileAtExit(), "leak"))
    names[leak.bytes] = leak.variable;
  EXPECT_EQ(names,
            (std::map<uint64_t, std::string>{{64, "made->memory"}, {32, "(*list)->memory"}}));
}

/// op.init(), which calls make(&a) and makeSet(&b), which calls make(out).
TEST_F(CallerRows, WhatAWrapperMakesForMembersHasTheirNames) {
  static const char *const inside[] = {"out", "out", nullptr}, *const member[] = {"&a"},
                           *const other[] = {"&b"};
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 642, GPUINSTR_RES_DEVICE,
                         Wrapper | GPUINSTR_SITE_THROUGH, AllocSlots, "*out", "float");
  auto *within = makeForwarding(643, "make"), *one = makeForwarding(644, "make"),
       *two = makeForwarding(645, "makeSet");
  auto *line = makeCaller(646, "Op::init", "op"), *own = makeCaller(647, "Op::init"),
       *unknown = makeCaller(660, "Op::init");
  own->function = "Op::run";
  alloc->arguments = within->arguments = inside;
  one->arguments = member;
  two->arguments = other;
  alloc->num_arguments = within->num_arguments = one->num_arguments = two->num_arguments = 1;
  within->flags |= GPUINSTR_SITE_THROUGH;
  within->variable = "*out";
  one->variable = "this->a";
  two->variable = "this->b";
  uint64_t address = 0x6a0000, bytes = 16;
  for (const gpuinstr_site *user : {line, own, unknown}) {
    Function direct(one), further(within);
    direct.frame.callers[1] = further.frame.callers[2] = user;
    further.frame.callers[1] = two;
    direct.alloc(alloc, address += 0x1000, bytes *= 2);
    further.alloc(alloc, address += 0x1000, bytes *= 2);
  }
  auto p = profileAtExit();
  std::map<uint64_t, std::string> names;
  for (const profile::Finding &leak : findings(p, "leak"))
    names[leak.bytes] = leak.variable;
  EXPECT_EQ(names, (std::map<uint64_t, std::string>{{32, "op.a"},
                                                    {64, "op.b"},
                                                    {128, "this->a"},
                                                    {256, "this->b"},
                                                    {512, "*out"},
                                                    {1024, "*out"}}));
  for (const profile::Site *row : rowsAt(p, 646))
    EXPECT_EQ(linesOf(p, row->via),
              row->variable == "op.a" ? (Lines{644, 642}) : (Lines{645, 643, 642}));
}

/// Field::Field, which calls create(), which has data = make(n) and halo = makeSet(n), which calls
/// make(n).
TEST_F(CallerRows, WhatAMemberKeepsHasItsNameWhoeverFilledIt) {
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 648, GPUINSTR_RES_DEVICE, Wrapper,
                         AllocSlots, "made", "float");
  auto *data = makeForwarding(649, "make"), *halo = makeForwarding(650, "makeSet"),
       *within = makeForwarding(658, "make"), *create = makeForwarding(659, "Field::create");
  create->function = "Field::Field";
  auto *field = makeCaller(651, "Field::Field", "field"), *shared = makeCaller(652, "share", "all");
  data->variable = "this->data";
  halo->variable = "this->halo";
  within->variable = "set";
  for (gpuinstr_site *site : {data, halo, within, field, shared})
    site->flags |= GPUINSTR_SITE_RECEIVES;
  uint64_t address = 0x6b0000, bytes = 16;
  for (const gpuinstr_site *user : {field, shared}) { // the latter receives another object
    Function direct(data), further(within);
    direct.frame.callers[1] = further.frame.callers[2] = create;
    direct.frame.callers[2] = further.frame.callers[3] = user;
    further.frame.callers[1] = halo;
    direct.alloc(alloc, address += 0x1000, bytes *= 2);
    further.alloc(alloc, address += 0x1000, bytes *= 2);
  }
  std::map<uint64_t, std::string> names;
  for (const profile::Finding &leak : findings(profileAtExit(), "leak"))
    names[leak.bytes] = leak.variable;
  EXPECT_EQ(names, (std::map<uint64_t, std::string>{
                       {32, "field.data"}, {64, "field.halo"}, {128, "made"}, {256, "made"}}));
}

/// Field::Field, which calls zero(), which has set(data): of the same object, until one is named.
TEST_F(CallerRows, SetsOfMembersThroughFunctionsOfTheObject) {
  static const char *const inside[] = {"p", "p", nullptr}, *const given[] = {"this->data", nullptr},
                           *const none[] = {nullptr};
  auto *set = makeSite(GPUINSTR_OP_SET, "cudaMemset", 653, 0, Wrapper, AllocSlots, "p");
  auto *within = makeForwarding(654, "set"), *own = makeForwarding(655, "Field::zero"),
       *other = makeForwarding(656, "Field::zero");
  auto *field = makeCaller(657, "Field::Field", "field");
  own->function = other->function = "Field::Field";
  set->arguments = inside;
  set->num_arguments = within->num_arguments = 1;
  within->arguments = given;
  own->arguments = other->arguments = field->arguments = none;
  other->variable = "halo";
  for (gpuinstr_site *site : {within, own, other})
    site->flags |= GPUINSTR_SITE_NAMES;
  field->flags |= GPUINSTR_SITE_RECEIVES;
  call(set, {within, own, field});
  call(set, {within, other, field});
  std::map<unsigned, std::string> names;
  const auto p = profileAtExit();
  for (const profile::Site *row : rowsAt(p, 657))
    names[linesOf(p, row->via)[0]] = row->variable;
  EXPECT_EQ(names, (std::map<unsigned, std::string>{{655, "field.data"}, {656, "halo.data"}}));
}

/// Buffer::resize makes its ptr, and Data::Data calls that of its member `host`. Of an object that
/// nobody knows, it is as much as the functions say.
TEST_F(CallerRows, MembersOfMembers) {
  static const char *const named[] = {"&d_x", "n", nullptr};
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 670, GPUINSTR_RES_DEVICE, Wrapper,
                         AllocSlots, "this->ptr", "float");
  auto *resize = makeForwarding(671, "Buffer::resize"),
       *ofParameter = makeForwarding(673, "Buffer::resize");
  auto *data = makeCaller(674, "Data::Data", "data"), *shared = makeCaller(675, "std::make_shared"),
       *user = makeCaller(676, "setUp"), *get = makeCaller(677, "Pool::get", "d_x");
  resize->function = "Data::Data";
  resize->variable = "this->host";
  data->flags |= GPUINSTR_SITE_RECEIVES;
  ofParameter->function = "setUp";
  ofParameter->variable = "made";
  static const char *const parameters[] = {"made", nullptr}, *const given[] = {"buffer", nullptr};
  ofParameter->arguments = parameters;
  ofParameter->flags |= GPUINSTR_SITE_NAMES;
  user->arguments = given;
  user->num_arguments = 1;
  get->arguments = named; // fills d_x, and is no function of it
  get->num_arguments = 2;
  uint64_t address = 0x6c0000, bytes = 16;
  for (std::vector<const gpuinstr_site *> lines : {std::vector<const gpuinstr_site *>{resize, data},
                                                   {resize, shared},
                                                   {ofParameter, user},
                                                   {get}}) {
    Function f(lines[0]);
    if (lines.size() > 1)
      f.frame.callers[1] = lines[1];
    f.alloc(alloc, address += 0x1000, bytes *= 2);
  }
  std::map<uint64_t, std::string> names;
  for (const profile::Finding &leak : findings(profileAtExit(), "leak"))
    names[leak.bytes] = leak.variable;
  EXPECT_EQ(
      names,
      (std::map<uint64_t, std::string>{
          {32, "data.host.ptr"}, {64, "this->host.ptr"}, {128, "buffer.ptr"}, {256, "this->ptr"}}));
}

TEST_F(CallerRows, WhatAFunctionDoesNotReturnHasItsOwnName) {
  constexpr unsigned Op = GPUINSTR_OP_ALLOC, Device = GPUINSTR_RES_DEVICE;
  auto *local = makeSite(Op, "cudaMalloc", 633, Device, GPUINSTR_SITE_LOCAL, AllocSlots, "d");
  auto *returned = makeSite(Op, "cudaMalloc", 634, Device, 0, AllocSlots, "p");
  auto *made = makeSite(Op, "cudaMalloc", 635, Device, Wrapper, AllocSlots, "inner");
  auto *line = makeCaller(636, "compute", "result"), *within = makeForwarding(637, "made");
  line->flags |= GPUINSTR_SITE_RECEIVES;
  within->flags |= GPUINSTR_SITE_RECEIVES | GPUINSTR_SITE_LOCAL; // wrapper=compute
  Function compute(line), wrapped(within);
  wrapped.frame.callers[1] = line;
  compute.alloc(local, 0x650000, 32);
  compute.alloc(returned, 0x660000, 64);
  wrapped.alloc(made, 0x670000, 128);
  std::map<uint64_t, std::string> names;
  for (const profile::Finding &leak : findings(profileAtExit(), "leak"))
    names[leak.bytes] = leak.variable;
  EXPECT_EQ(names, (std::map<uint64_t, std::string>{{32, "d"}, {64, "result"}, {128, "inner"}}));
}

TEST_F(CallerRows, CopiesSpeakTheWordsOfTheLine) {
  static const char *const inside[] = {"ptr", "h.data()", "h.size() * sizeof(float)", "h", nullptr};
  static const char *const outside[] = {"weights"};
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 640, 0, Wrapper, CopySlots, "this->ptr");
  copy->arguments = inside;
  copy->num_arguments = 3;
  auto *line = makeCaller(641, "Buffer<float>::upload", "w");
  line->arguments = outside;
  line->num_arguments = 1;
  call(copy, {line});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 641).size(), 1u);
  EXPECT_EQ(rowsAt(p, 641)[0]->variable, "w.ptr");
  EXPECT_EQ(rowsAt(p, 641)[0]->arguments,
            (std::vector<std::string>{"ptr", "weights.data()", "weights.size() * sizeof(float)"}));
}

/// upload(Matrix &m, const float *from), which init(Net &n, Host &p) calls for n.weights and
/// n.bias.
TEST_F(CallerRows, OfTwoWrappersTheUsersWordsToo) {
  static const char *const inside[] = {"m.p", "from", "n", "m", "from", nullptr};
  static const char *const between[][5] = {{"n.weights", "p.w", "n", "p", nullptr},
                                           {"n.bias", "p.b", "n", "p", nullptr}};
  static const char *const outside[] = {"net", "host"};
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 680, 0, Wrapper, CopySlots, "m.p");
  copy->arguments = inside;
  copy->num_arguments = 3;
  auto *line = makeCaller(683, "init");
  line->arguments = outside;
  line->num_arguments = 2;
  for (unsigned i = 0; i < 2; ++i) {
    auto *forwards = makeForwarding(681 + i, "upload");
    forwards->arguments = between[i];
    forwards->num_arguments = 2;
    forwards->flags |= GPUINSTR_SITE_NAMES;
    call(copy, {forwards, line});
    call(copy, {forwards, line});
  }
  auto p = profileNow();
  std::vector<const profile::Site *> rows = rowsAt(p, 683);
  ASSERT_EQ(rows.size(), 2u);
  const bool isFirst = rows[0]->variable == "net.weights.p";
  for (const profile::Site *row : rows) {
    const bool isWeights = (row == rows[0]) == isFirst;
    EXPECT_EQ(row->calls, 2u);
    EXPECT_EQ(row->variable, isWeights ? "net.weights.p" : "net.bias.p");
    // A variable of the inner function is no parameter of the outer one.
    EXPECT_EQ(row->arguments,
              (std::vector<std::string>{row->variable, isWeights ? "host.w" : "host.b", "n"}));
    EXPECT_EQ(linesOf(p, row->via), (Lines{isWeights ? 681u : 682u, 680}));
  }
}

/// Of objects whose plugin did not name them.
TEST_F(CallerRows, OfTwoWrappersWhereTheOutersParametersAreNotNamed) {
  static const char *const inside[] = {"m.p", "from", "m", "from", nullptr};
  static const char *const between[] = {"n.weights", "p.w"}, *const outside[] = {"net", "host"};
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 684, 0, Wrapper, CopySlots, "m.p");
  copy->arguments = inside;
  copy->num_arguments = 2;
  auto *forwards = makeForwarding(685, "upload"), *line = makeCaller(686, "init");
  forwards->arguments = between;
  line->arguments = outside;
  forwards->num_arguments = line->num_arguments = 2;
  call(copy, {forwards, line});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 686).size(), 1u);
  EXPECT_EQ(rowsAt(p, 686)[0]->variable, "m.p");
}

TEST_F(CallerRows, MembersOfWhatIsGivenAreWrittenAsInTheLine) {
  struct Case {
    const char *inside, *given, *told;
  };
  const Case cases[] = {{"u->x", "&grid", "grid.x"},
                        {"u->x", "&v->star", "v->star.x"},
                        {"u->x", "&v->list[i + 1]", "v->list[i + 1].x"},
                        {"u->x", "all + 1", "(all + 1)->x"},
                        {"u->x", "find(a, b)", "find(a, b)->x"},
                        {"u.x", "*grid", "grid->x"},
                        {"u.x", "grid", "grid.x"},
                        {"u.x", "*all[0]", "all[0]->x"},
                        {"u->x->u", "&grid", "grid.x->u"}};
  unsigned line = 645;
  for (const Case &one : cases) {
    // Sites stay, and so do their texts.
    auto *texts = new const char *[5] { one.inside, "u", nullptr, one.given };
    auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 660, 0, Wrapper, CopySlots, one.inside);
    copy->arguments = texts;
    copy->num_arguments = 1;
    auto *user = makeCaller(++line, "fill", "");
    user->arguments = texts + 3;
    user->num_arguments = 1;
    call(copy, {user});
    auto p = profileNow();
    ASSERT_EQ(rowsAt(p, line).size(), 1u);
    EXPECT_EQ(rowsAt(p, line)[0]->variable, one.told) << one.inside << " of " << one.given;
  }
}

TEST_F(CallerRows, WhatAFunctionReturnsIsNotItsObject) {
  static const char *const none[] = {nullptr};
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 642, 0, Wrapper, CopySlots, "this->ptr");
  copy->arguments = none;
  auto *line = makeCaller(643, "Buffer<float>::upload", "ok");
  line->flags |= GPUINSTR_SITE_RECEIVES;
  call(copy, {line});
  auto *built = makeCaller(644, "ns::Buffer<float>::Buffer", "w");
  built->flags |= GPUINSTR_SITE_RECEIVES;
  call(copy, {built});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 643).size(), 1u);
  EXPECT_EQ(rowsAt(p, 643)[0]->variable, "this->ptr");
  ASSERT_EQ(rowsAt(p, 644).size(), 1u);
  EXPECT_EQ(rowsAt(p, 644)[0]->variable, "w.ptr");
}

TEST_F(CallerRows, OnePlaceHasOneRow) {
  auto *release = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 645, 0, Wrapper);
  auto *end = makeCaller(646, "~Buffer"), *unwound = makeCaller(646, "~Buffer");
  unwound->id += 1; // of the next ordinal
  call(release, {end});
  call(release, {unwound});
  auto *later = makeCaller(646, "~Buffer");
  later->id += 2;
  later->column += 1;
  call(release, {later});
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 646).size(), 2u);
  EXPECT_EQ(rowsAt(p, 646)[0]->calls + rowsAt(p, 646)[1]->calls, 3u);
}

TEST_F(CallerRows, ExcludedLinesHideTheirRows) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 650, 0, Wrapper);
  auto *line = makeCaller(651, "wait");
  line->flags |= GPUINSTR_SITE_EXCLUDED;
  call(wait, {line});
  EXPECT_TRUE(rowsAt(profileNow(), 651).empty());
}

TEST_F(CallerRows, ThreadsMeetInOneRow) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 660, 0, Wrapper);
  auto *line = makeCaller(661, "wait");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([=] {
      for (int j = 0; j < 100; ++j)
        call(wait, {line});
    });
  for (std::thread &thread : threads)
    thread.join();
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 661).size(), 1u);
  EXPECT_EQ(rowsAt(p, 661)[0]->calls, 400u);
}

TEST_F(CallerRows, ARowOutlivesItsModule) {
  auto *wait = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 670, 0, Wrapper);
  gpuinstr_module *module = registerAll({wait});
  call(wait, {makeCaller(671, "wait")});
  table().unregister_module(module);
  wait->callee = nullptr; // unmapped
  auto p = profileNow();
  ASSERT_EQ(rowsAt(p, 671).size(), 1u);
  EXPECT_EQ(rowsAt(p, 671)[0]->callee, "cudaDeviceSynchronize");
}

} // namespace
} // namespace gpuinstr::test
