// A random program: a tree of operations, drawn from a seed. Every operation can be left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random.h"

#include <stdio.h>

#include <set>
#include <vector>

enum class Kind : uint8_t {
  Fill,     ///< the host writes a source buffer
  Poke,     ///< ... one element of it
  Scribble, ///< ... one element of a target buffer
  Up,
  UpAsync,
  Down,
  DownAsync,
  Within,
  Set,
  SetAsync,
  Symbol,
  Batch,
  Array,
  Launch,
  Table, ///< the table of pointers that `each` follows
  Allocate,
  AllocateAsync,
  AllocateManaged,
  Free,
  Sync,
  Record,
  Wait,
  HostFunction,
  Hold,  ///< `await` waits from here on
  Touch, ///< the host writes managed memory
  Unseen,
  Wrong,
  Loop,
  Parallel,  ///< `other` in a thread beside `body`
  Graph,     ///< `body` captured, `other` between its launches
  Built,     ///< copy nodes added by hand, `other` between its launches
  Remake,    ///< a stream is destroyed, another one made
  Anew,      ///< host memory is given back, other memory taken in its place
  Elsewhere, ///< `body` in a thread of its own, one after the other
  Kinds
};

inline const char *nameOf(Kind kind) {
  static const char *const names[] = {
      "fill",       "poke",   "scribble", "up",        "up-async",       "down",
      "down-async", "within", "set",      "set-async", "symbol",         "batch",
      "array",      "launch", "table",    "allocate",  "allocate-async", "allocate-managed",
      "free",       "sync",   "record",   "wait",      "host",           "hold",
      "touch",      "unseen", "wrong",    "loop",      "parallel",       "graph",
      "built",      "remake", "anew",     "elsewhere"};
  static_assert(sizeof names / sizeof *names == unsigned(Kind::Kinds), "a name for each");
  return names[unsigned(kind)];
}

struct Operation {
  Kind kind = Kind::Sync;
  unsigned id = 0;
  unsigned only = 0;  ///< of its loop's rounds, only this one (from 1); 0: all
  unsigned every = 1; ///< ... only those that this divides
  uint32_t r[6] = {};
  std::vector<Operation> body, other;
};

/// What a program is made of. Most have few features: then there is something to prove.
struct Features {
  bool async, pools, managed, graphs, threads, holds, variables, arrays, tables, unseen, foreign,
      wrong, hostFunctions, leaks, tight;
  unsigned slots, bytes, streams;
};

class Generator {
public:
  Features features;

  explicit Generator(uint64_t seed) : R(seed) {
    Features &f = features;
    f.async = R.percent(65);
    f.pools = R.percent(15);
    f.managed = R.percent(8);
    f.graphs = R.percent(20);
    f.threads = R.percent(15);
    f.holds = f.async && R.percent(20);
    f.variables = R.percent(15);
    f.arrays = R.percent(8);
    f.tables = R.percent(15);
    f.unseen = R.percent(4);
    f.foreign = R.percent(3);
    f.wrong = R.percent(4);
    f.leaks = R.percent(15);
    f.hostFunctions = f.async && R.percent(30);
    static const unsigned sizes[] = {1024, 4096, 4096, 65536, 65536, 65536, 131072, 262144};
    f.bytes = sizes[R.below(8)];
    f.tight = R.percent(10);
    if (f.tight && R.percent(80))
      f.bytes = R.percent(50) ? 1024 : 4096;
    f.slots = 2 + R.below(5);
    f.streams = f.async ? 1 + R.below(4) : 1;
    setWeights();
  }

  std::vector<Operation> program() {
    std::vector<Operation> all;
    for (unsigned i = 0; i < features.slots; ++i)
      all.push_back(one(features.pools && R.percent(50)     ? Kind::AllocateAsync
                        : features.managed && R.percent(50) ? Kind::AllocateManaged
                                                            : Kind::Allocate,
                        i));
    for (unsigned i = 0, blocks = 2 + R.below(4); i < blocks; ++i) {
      if (R.percent(12))
        all.push_back(cycle());
      else if (features.tight && R.percent(60))
        all.push_back(tight());
      else if (R.percent(70))
        all.push_back(loop(1));
      else
        for (unsigned k = 1 + R.below(4); k; --k)
          all.push_back(any(2));
    }
    number(all);
    return all;
  }

private:
  void setWeights() {
    const Features &f = features;
    auto weigh = [&](Kind kind, unsigned weight) { Weights.insert(Weights.end(), weight, kind); };
    weigh(Kind::Fill, 7);
    weigh(Kind::Poke, 3);
    weigh(Kind::Scribble, 2);
    weigh(Kind::Up, 16);
    weigh(Kind::Down, 9);
    weigh(Kind::Within, 5);
    weigh(Kind::Set, 6);
    weigh(Kind::Launch, 16);
    weigh(Kind::Sync, 5);
    weigh(Kind::Allocate, 3);
    weigh(Kind::Free, 3);
    weigh(Kind::UpAsync, f.async ? 14 : 0);
    weigh(Kind::DownAsync, f.async ? 8 : 0);
    weigh(Kind::SetAsync, f.async ? 4 : 0);
    weigh(Kind::Record, f.async ? 3 : 0);
    weigh(Kind::Wait, f.async ? 3 : 0);
    weigh(Kind::Batch, f.async ? 2 : 0);
    weigh(Kind::HostFunction, f.hostFunctions ? 4 : 0);
    weigh(Kind::Hold, f.holds ? 4 : 0);
    weigh(Kind::AllocateAsync, f.pools ? 5 : 0);
    weigh(Kind::AllocateManaged, f.managed ? 3 : 0);
    weigh(Kind::Touch, f.managed ? 3 : 0);
    weigh(Kind::Symbol, f.variables ? 8 : 0);
    weigh(Kind::Array, f.arrays ? 6 : 0);
    weigh(Kind::Table, f.tables ? 4 : 0);
    weigh(Kind::Unseen, f.unseen || f.foreign ? 6 : 0);
    weigh(Kind::Wrong, f.wrong ? 3 : 0);
    weigh(Kind::Graph, f.graphs ? 5 : 0);
    weigh(Kind::Built, f.graphs ? 3 : 0);
    weigh(Kind::Parallel, f.threads ? 6 : 0);
    weigh(Kind::Remake, f.async ? 2 : 0);
    weigh(Kind::Anew, 2);
    weigh(Kind::Elsewhere, f.threads ? 4 : 1);
  }

  Operation one(Kind kind, unsigned slot) {
    Operation op;
    op.kind = kind;
    for (uint32_t &r : op.r)
      r = R.next();
    op.r[0] = slot;
    return op;
  }
  Operation any(unsigned depth) {
    Kind kind = Weights[R.below(unsigned(Weights.size()))];
    bool nests = kind == Kind::Graph || kind == Kind::Built || kind == Kind::Parallel ||
                 kind == Kind::Elsewhere;
    Operation op = one(nests && depth < 1 ? Kind::Up : kind, R.next());
    if (op.kind == Kind::Graph)
      fill(op.body, 1 + R.below(4), 0);
    if (op.kind == Kind::Parallel || op.kind == Kind::Elsewhere)
      fill(op.body, 1 + R.below(4), 0);
    if (op.kind == Kind::Graph || op.kind == Kind::Built || op.kind == Kind::Parallel)
      fill(op.other, R.below(4), 0);
    return op;
  }
  void fill(std::vector<Operation> &list, unsigned count, unsigned depth) {
    while (count--)
      list.push_back(any(depth));
  }
  Operation loop(unsigned depth) {
    Operation op = one(Kind::Loop, R.next());
    unsigned rounds = 2 + R.below(9);
    op.r[1] = rounds;
    fill(op.body, 1 + R.below(6), depth);
    // What comes in one round alone: an upload of something else, a kernel that writes.
    for (Operation &inner : op.body)
      if (R.percent(inner.kind == Kind::Fill || inner.kind == Kind::Launch ? 50 : 8))
        inner.only = 1 + R.below(rounds);
    return op;
  }
  /// Memory that is made, filled, used and freed in each round.
  Operation cycle() {
    Operation op = one(Kind::Loop, 0);
    unsigned slot = R.below(features.slots);
    op.r[1] = 2 + R.below(6);
    op.body.push_back(one(Kind::Free, slot));
    op.body.push_back(
        one(features.pools && R.percent(50) ? Kind::AllocateAsync : Kind::Allocate, slot));
    op.body.push_back(one(features.async && R.percent(50) ? Kind::UpAsync : Kind::Up, slot));
    fill(op.body, R.below(4), 0);
    if (R.percent(50))
      op.body.push_back(one(Kind::Down, slot));
    return op;
  }
  /// Many rounds of a few calls, between which seldom something else comes.
  Operation tight() {
    static const Kind few[] = {Kind::Up,   Kind::Up,     Kind::Down,   Kind::Down,    Kind::Down,
                               Kind::Set,  Kind::Launch, Kind::Launch, Kind::Launch,  Kind::Launch,
                               Kind::Poke, Kind::Sync,   Kind::Within, Kind::Scribble};
    static const Kind async[] = {Kind::UpAsync, Kind::DownAsync, Kind::SetAsync, Kind::UpAsync};
    Operation op = one(Kind::Loop, 0);
    const unsigned rounds = op.r[1] = 8 + R.below(features.bytes > 4096 ? 16
                                                  : R.percent(30)        ? 200
                                                                         : 40);
    const unsigned a = R.next(), b = R.next(), stream = R.next();
    for (unsigned i = 1 + R.below(4); i; --i) {
      Operation inner =
          one(features.async && R.percent(35) ? async[R.below(4)] : few[R.below(14)], a);
      if (R.percent(20))
        inner.r[0] = b;
      if (R.percent(60))
        inner.r[4] = stream;
      if (inner.kind == Kind::Launch && R.percent(60))
        inner.r[2] = b;
      if (R.percent(12))
        inner.every = 2 + R.below(12);
      op.body.push_back(inner);
    }
    for (unsigned i = R.below(4); i; --i) {
      Operation inner = any(R.percent(30) ? 1 : 0);
      if (R.percent(60))
        inner.r[0] = a;
      if (R.percent(60))
        inner.only = 1 + R.below(rounds);
      else
        inner.every = 3 + R.below(30);
      op.body.insert(op.body.begin() + R.below(unsigned(op.body.size()) + 1), inner);
      if (inner.kind == Kind::Free) {
        inner.kind = Kind::Allocate;
        op.body.push_back(inner);
      }
    }
    return op;
  }
  void number(std::vector<Operation> &list) {
    for (Operation &op : list) {
      op.id = ++Last;
      number(op.body);
      number(op.other);
    }
  }

  Random R;
  std::vector<Kind> Weights;
  unsigned Last = 0;
};

inline void print(const std::vector<Operation> &list, const std::set<unsigned> &without,
                  unsigned indent = 0) {
  for (const Operation &op : list) {
    if (without.count(op.id))
      continue;
    printf("%*s%u %s", int(indent), "", op.id, nameOf(op.kind));
    if (op.kind == Kind::Loop)
      printf(" x%u", op.r[1]);
    for (unsigned i = 0; i < 4; ++i)
      printf(" %u", op.r[i] % 840);
    if (op.only)
      printf(" in round %u", op.only);
    if (op.every > 1)
      printf(" each %u rounds", op.every);
    printf("\n");
    print(op.body, without, indent + 2);
    if (!op.other.empty())
      printf("%*s  beside, or between:\n", int(indent), "");
    print(op.other, without, indent + 2);
  }
}
