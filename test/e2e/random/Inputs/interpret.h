// Runs the operations of a random program. What cannot be done at the moment is left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "state.h"

#include <deque>
#include <mutex>
#include <thread>

class Interpreter : ProgramState {
public:
  Interpreter(const Features &features, const std::set<unsigned> &without)
      : ProgramState(features), Without(without) {
    describeKernels();
  }

  void run(const std::vector<Operation> &program) {
    start();
    Actor actor;
    all(program, actor);
    finish();
  }
  /// Lines of calls that were wrong on purpose, for the checker.
  const std::vector<unsigned> &wrongLines() const { return WrongLines; }

private:
  struct HostCall {
    Interpreter *self;
    uint32_t what, which;
  };

  void all(const std::vector<Operation> &list, Actor &actor) {
    for (const Operation &op : list)
      if (!Without.count(op.id) && (!op.only || op.only == actor.round) &&
          actor.round % op.every == 0)
        one(op, actor);
  }

  /// May run while kernels wait for the flag: it waits for nothing of theirs.
  static bool runsBeside(Kind kind) {
    switch (kind) {
    case Kind::Fill:
    case Kind::Poke:
    case Kind::Scribble:
    case Kind::Up:
    case Kind::UpAsync:
    case Kind::Down:
    case Kind::Within:
    case Kind::Set:
    case Kind::SetAsync:
    case Kind::Launch:
    case Kind::Record:
    case Kind::Hold:
    case Kind::Loop:
      return true;
    default:
      return false;
    }
  }

  void one(const Operation &op, Actor &actor) {
    if (!runsBeside(op.kind))
      release();
    if (actor.isCapturing ? !isCapturable(op.kind) : actor.number && !isForThreads(op.kind))
      return;
    switch (op.kind) {
    case Kind::Fill:
      return pattern(Source[op.r[1] % Sources], op.r[2], 0, F.bytes);
    case Kind::Poke:
      reinterpret_cast<uint32_t *>(Source[op.r[1] % Sources])[op.r[2] % (F.bytes / 4)] =
          op.r[3] % 8 < 6 ? op.r[3] % 3 : actor.round;
      return;
    case Kind::Scribble:
      reinterpret_cast<uint32_t *>(target(op.r[1], actor))[op.r[2] % (F.bytes / 4)] = op.r[3] % 3;
      return;
    case Kind::Up:
    case Kind::UpAsync:
    case Kind::Down:
    case Kind::DownAsync:
      return transfer(op, actor);
    case Kind::Within:
      return within(op, actor);
    case Kind::Set:
    case Kind::SetAsync:
      return set(op, actor);
    case Kind::Symbol:
#if CARRIED
      check(site::symbol(op.r[1], op.r[1] % 6 == 5 ? target(op.r[2], actor) : Source[op.r[2] % 2],
                         op.r[3] % 4 ? VariableInts * 4 : VariableInts * 2,
                         Streams_[op.r[4] % F.streams]),
            "symbol");
#endif
      return;
    case Kind::Batch:
      return batch(op, actor);
    case Kind::Array:
      if (Array)
        check(site::array(op.r[1], Array,
                          op.r[1] % 4 < 2 ? Source[op.r[2] % 2] : target(op.r[2], actor),
                          F.bytes / 16, 16),
              "array");
      return;
    case Kind::Launch:
      return launch(op, actor);
    case Kind::Table:
      return fillTable(op);
    case Kind::Allocate:
    case Kind::AllocateAsync:
    case Kind::AllocateManaged:
      return allocate(op);
    case Kind::Free:
      return freeSlot(D[op.r[0] % F.slots], op.r[1]);
    case Kind::Sync:
      return synchronise(op);
    case Kind::Record:
      return check(cudaEventRecord(Events_[op.r[1] % Events], Streams_[op.r[2] % F.streams]),
                   "record");
    case Kind::Wait:
      return check(cudaStreamWaitEvent(Streams_[op.r[2] % F.streams], Events_[op.r[1] % Events], 0),
                   "wait");
    case Kind::HostFunction:
      return hostFunction(op, actor);
    case Kind::Hold:
      if (CARRIED && F.streams > HeldStream) {
        sync(); // those that were launched before shall not wait
        __atomic_store_n(Flag, 0, __ATOMIC_RELEASE);
      }
      return;
    case Kind::Touch:
      if (Slot *s = slot(op.r[0], actor); s && s->isManaged) {
        size_t at = op.r[2] % (s->bytes / 4) * 4;
        *reinterpret_cast<uint32_t *>(s->memory + at) = op.r[3] % 3;
        oracle::writes(s->memory + at, 4);
      }
      return;
    case Kind::Unseen:
      return unseen(op, actor);
    case Kind::Wrong:
      return wrong(op);
    case Kind::Loop:
      for (unsigned round = 1; round <= op.r[1]; ++round) {
        Actor inner = actor;
        inner.round = round;
        all(op.body, inner);
      }
      return;
    case Kind::Parallel: {
      Actor beside = actor;
      beside.number = 1;
      std::thread other([&] { all(op.other, beside); });
      for (const Operation &inner : op.body)
        if (isForThreads(inner.kind) && !Without.count(inner.id))
          one(inner, actor);
      other.join();
      return;
    }
    case Kind::Remake:
      return remake(op.r[1] % F.streams);
    case Kind::Anew:
      return anew(op);
    case Kind::Elsewhere:
      return std::thread([&] { all(op.body, actor); }).join();
    case Kind::Graph:
      return capture(op, actor);
    case Kind::Built:
      return build(op, actor);
    case Kind::Kinds:
      return;
    }
  }

  static bool isCapturable(Kind kind) {
    return kind == Kind::UpAsync || kind == Kind::DownAsync || kind == Kind::SetAsync ||
           kind == Kind::Launch || kind == Kind::Within || kind == Kind::HostFunction;
  }
  /// Threads share the slots as they are.
  static bool isForThreads(Kind kind) {
    return isCapturable(kind) || kind == Kind::Fill || kind == Kind::Poke ||
           kind == Kind::Scribble || kind == Kind::Up || kind == Kind::Down || kind == Kind::Set ||
           kind == Kind::Record || kind == Kind::Wait || kind == Kind::Sync;
  }

  void transfer(const Operation &op, Actor &actor) {
    Slot *s = slot(op.r[0], actor);
    if (!s)
      return;
    size_t offset, size;
    part(op.r[3], s->bytes, offset, size);
    unsigned index = streamFor(*s, op.r[4]), from = source(op.r[2], actor);
    char *to = target(op.r[2], actor);
    const char *host = op.r[5] % 5 ? Source[from] : to; // ... or what came down before
    switch (op.kind) {
    case Kind::Up:
      settle(*s);
      return check(site::up(op.r[1], s->memory + offset, host + offset, size), "up");
    case Kind::UpAsync:
      return check(
          site::upAsync(op.r[1], s->memory + offset, host + offset, size, stream(index, actor)),
          "up async");
    case Kind::Down:
      settle(*s);
      return check(site::down(op.r[1], to + offset, s->memory + offset, size), "down");
    default:
      if (index == HeldStream)
        release(); // to pageable memory it waits
      return check(
          site::downAsync(op.r[1], to + offset, s->memory + offset, size, stream(index, actor)),
          "down async");
    }
  }

  void within(const Operation &op, Actor &actor) {
    Slot *to = slot(op.r[0], actor), *from = slot(op.r[2], actor);
    if (!to || !from || (to->stream >= 0 && from->stream >= 0 && to->stream != from->stream))
      return;
    bool isAsync = op.r[1] % 6 >= 2;
    if (!isAsync && actor.isCapturing)
      return;
    if (!isAsync || to->stream != from->stream) {
      settle(*to);
      settle(*from);
    }
    size_t offset, size;
    part(op.r[3], to->bytes < from->bytes ? to->bytes : from->bytes, offset, size);
    unsigned index = streamFor(to->stream >= 0 ? *to : *from, op.r[4]);
    check(site::within(op.r[1], to->memory + offset, from->memory + offset, size,
                       stream(index, actor)),
          "within");
  }

  void set(const Operation &op, Actor &actor) {
    Slot *s = slot(op.r[0], actor);
    if (!s)
      return;
    size_t offset, size;
    part(op.r[3], s->bytes, offset, size);
    int value = op.r[2] % 4 < 3 ? int(op.r[2] % 4 / 2) : int(actor.round);
    if (op.kind == Kind::Set) {
      settle(*s);
      return check(site::set(op.r[1], s->memory + offset, value, size), "set");
    }
    check(site::setAsync(op.r[1], s->memory + offset, value, size,
                         stream(streamFor(*s, op.r[4]), actor)),
          "set async");
  }

  void batch(const Operation &op, Actor &actor) {
    Slot *a = slot(op.r[0], actor), *b = slot(op.r[2], actor);
    unsigned index = 1 + op.r[4] % 3; // not the default stream
    if (!a || !b || a == b || a->stream >= 0 || b->stream >= 0 || index >= F.streams)
      return;
    void *to[] = {a->memory, b->memory};
    const void *from[] = {Source[op.r[3] % Sources], Source[op.r[3] / 4 % Sources]};
    size_t sizes[] = {a->bytes, b->bytes};
    check(site::batch(op.r[1], to, from, sizes, 2, Streams_[index]), "batch");
  }

  void launch(const Operation &op, Actor &actor) {
    Slot *x = slot(op.r[0], actor), *y = slot(op.r[2], actor);
    unsigned which =
        op.r[1] % (CARRIED && F.variables ? site::KernelsWithVariables : site::Kernels);
    if (!x || !y || (which == site::Each && !(LeastInTable && !actor.isCapturing)) ||
        ((which == site::Keep || which == site::WriteKept) &&
         (x->stream >= 0 || actor.isCapturing)))
      return;
    if (x->stream != y->stream) // of two pools, or of one and of none
      y = x;
    site::Launch l;
    l.x = reinterpret_cast<int *>(x->memory);
    l.y = reinterpret_cast<int *>(y->memory);
    if (op.r[5] % 16 == 3) // a buffer that uploads come from
      l.y = reinterpret_cast<int *>(Source[1]);
    l.table = reinterpret_cast<int *const *>(Table);
    l.flag = Flag;
    l.value = op.r[3] % 8 < 6 ? int(op.r[3] % 8) : int(actor.round);
    l.n = unsigned((x->bytes < y->bytes ? x->bytes : y->bytes) / 4);
    unsigned index = streamFor(*x, op.r[4]);
    if (which == site::Each)
      l.n = LeastInTable / 4;
    if (which == site::WriteKept)
      l.n = 256;
    if (which == site::Keep)
      IsKept = true;
    if (which == site::Await && !*Flag && (index != HeldStream || actor.isCapturing))
      release();
    l.stream = stream(index, actor);
    check(site::launch(which, l), "launch");
  }

  void fillTable(const Operation &op) {
    if (!Table)
      return;
    LeastInTable = F.bytes;
    for (unsigned i = 0; i < TableEntries; ++i) {
      Slot &s = D[(op.r[i] + i) % F.slots];
      bool fits = s.memory && s.stream < 0 && op.r[5] >> i & 1;
      Entries[i] = fits ? reinterpret_cast<int *>(s.memory) : nullptr;
      if (fits && s.bytes < LeastInTable)
        LeastInTable = s.bytes;
    }
    sync(); // no kernel goes by the old one with the new length
    check(site::up(op.r[1] % 6, Table, Entries, sizeof Entries), "table");
  }

  void remake(unsigned index) {
    if (index == 0)
      return;
    sync();
    check(cudaStreamDestroy(Streams_[index]), "stream");
    check(cudaStreamCreateWithFlags(&Streams_[index],
                                    index == 1 ? cudaStreamDefault : cudaStreamNonBlocking),
          "stream");
  }

  void synchronise(const Operation &op) {
    unsigned index = op.r[2] % F.streams;
    switch (op.r[1] % 4) {
    case 0:
      return check(cudaDeviceSynchronize(), "synchronise");
    case 1:
      if (F.async)
        check(cudaEventSynchronize(Events_[op.r[3] % Events]), "event");
      return;
    case 2: {
      cudaError_t status = cudaStreamQuery(Streams_[index]);
      return check(status == cudaErrorNotReady ? cudaSuccess : status, "query");
    }
    default:
      return check(cudaStreamSynchronize(Streams_[index]), "synchronise");
    }
  }

  static void CUDART_CB runHostCall(void *data) {
    auto *call = static_cast<HostCall *>(data);
    Interpreter &self = *call->self;
    if (call->what % 3 == 0)
      usleep(100 + call->which % 300);
    else if (call->what % 3 == 1)
      self.pattern(self.Source[call->which % 3], call->which / 4, 0, self.F.bytes);
    else
      reinterpret_cast<uint32_t *>(self.Target[0][1])[call->which % (self.F.bytes / 4)] =
          call->which % 5;
  }

  void hostFunction(const Operation &op, Actor &actor) {
    std::lock_guard<std::mutex> lock(CallsMutex);
    Calls.push_back({this, op.r[1], op.r[2]});
    check(cudaLaunchHostFunc(stream(op.r[4] % F.streams, actor), runHostCall, &Calls.back()),
          "host function");
  }

  void unseen(const Operation &op, Actor &actor) {
    if (F.foreign && !Foreign.set)
      openUnseen("libforeign.so");
    Slot *s = slot(op.r[0], actor);
    if (!s || !Foreign.set)
      return;
    settle(*s);
    if (op.r[1] % 3 == 0)
      Foreign.set(s->memory, int(op.r[2] % 3), s->bytes / 2);
    else if (op.r[1] % 3 == 1)
      Foreign.upload(s->memory, Source[op.r[2] % Sources], s->bytes);
    else if (Foreign.launch)
      Foreign.launch(reinterpret_cast<int *>(s->memory), int(op.r[2] % 3), unsigned(s->bytes / 4));
  }

  void wrong(const Operation &op) {
    char *memory;
    unsigned line = 0, which = op.r[1] % 4;
    check(cudaMalloc(&memory, 4096), "wrong");
    if (which == 3)
      check(cudaFree(memory), "wrong");
    cudaError_t status = site::wrong(which, memory, Source[0], 4096, &line);
    if (status == cudaSuccess || cudaGetLastError() != status)
      _exit(4);
    if (which != 3)
      check(cudaFree(memory), "wrong");
    WrongLines.push_back(line);
  }

  /// `change`: between two launches, with the number of the next one.
  template <typename Change>
  void launches(const Operation &op, Actor &actor, cudaGraphExec_t exec, Change change) {
    cudaStream_t s = Streams_[op.r[4] % F.streams];
    for (unsigned i = 1; i <= 1 + op.r[2] % 6; ++i) {
      Actor inner = actor;
      inner.round = i;
      if (i > 1) {
        for (const Operation &between : op.other)
          if (between.kind != Kind::Graph && between.kind != Kind::Built &&
              !Without.count(between.id) && (isForThreads(between.kind)))
            one(between, inner);
        change(i);
      }
      release();
      check(cudaGraphLaunch(exec, s), "graph");
    }
    sync();
    check(cudaGraphExecDestroy(exec), "graph");
  }

  void capture(const Operation &op, Actor &actor) {
    if (F.tables || actor.isCapturing) // its slots are to live
      return;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    Actor inner = actor;
    inner.isCapturing = true;
    check(cudaStreamCreateWithFlags(&inner.capture, cudaStreamNonBlocking), "capture");
    check(cudaStreamBeginCapture(inner.capture, cudaStreamCaptureModeRelaxed), "capture");
    all(op.body, inner);
    check(cudaStreamEndCapture(inner.capture, &graph), "capture");
    check(cudaGraphInstantiate(&exec, graph, 0), "graph");
    launches(op, actor, exec, [](unsigned) {});
    check(cudaGraphDestroy(graph), "graph");
    check(cudaStreamDestroy(inner.capture), "capture");
  }

  /// A node of a graph that is built.
  struct Node {
    cudaGraphNode_t node;
    void *to;
    const void *from;
    size_t bytes;
    bool isDown;
  };

  void addNodes(const Operation &op, cudaGraph_t graph, bool isBackwards, std::vector<Node> &nodes) {
    for (unsigned i = 0; i <= op.r[1] % 3; ++i) {
      Slot &s = D[(op.r[0] + op.r[3] * i) % F.slots];
      if (!s.memory || s.stream >= 0)
        continue;
      Node n{nullptr, s.memory, Source[1 + (op.r[5] >> 8 & 1)], s.bytes, (op.r[5] >> i & 1) != 0};
      if (n.isDown) {
        n.from = s.memory;
        n.to = Target[0][1];
      }
      const bool isBehind = !nodes.empty() && !isBackwards;
      check(site::node(op.r[1] + i, graph, isBehind ? &nodes.back().node : nullptr, isBehind, &n.node,
                       n.to, n.from, n.bytes),
            "node");
      if (!nodes.empty() && isBackwards) // the new one runs before the one before
#if CUDART_VERSION >= 13000
        check(cudaGraphAddDependencies(graph, &n.node, &nodes.back().node, nullptr, 1), "edge");
#else
        check(cudaGraphAddDependencies(graph, &n.node, &nodes.back().node, 1), "edge");
#endif
      nodes.push_back(n);
    }
  }

  const void *sourceOf(const Node &n, unsigned round) const {
    return n.isDown ? n.from : Source[1 + round % 2];
  }

  void build(const Operation &op, Actor &actor) {
    enum Way : unsigned { Clone = 1, Backwards, NodeBefore, NodeLater, Executable, Enable, Update };
    const unsigned way = op.r[4] / 4 % 8;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    std::vector<Node> nodes;
    check(cudaGraphCreate(&graph, 0), "graph");
    addNodes(op, graph, way == Backwards, nodes);
    auto changeNode = [&](unsigned round) {
      for (Node &n : nodes)
        check(cudaGraphMemcpyNodeSetParams1D(n.node, n.to, sourceOf(n, round), n.bytes,
                                             cudaMemcpyDefault),
              "node changed");
    };
    if (way == NodeBefore)
      changeNode(op.r[4] / 32);
    if (way == Clone) {
      check(cudaGraphClone(&clone, graph), "clone");
      check(cudaGraphDestroy(graph), "graph");
      graph = clone;
    }
    check(cudaGraphInstantiate(&exec, graph, 0), "graph");
    launches(op, actor, exec, [&](unsigned round) {
      cudaGraphExecUpdateResultInfo info;
      if (way == NodeLater || way == Update) // the executable stays as it is
        changeNode(round);
      if (way == Update)
        check(cudaGraphExecUpdate(exec, graph, &info), "update");
      for (const Node &n : nodes)
        if (way == Executable)
          check(cudaGraphExecMemcpyNodeSetParams1D(exec, n.node, n.to, sourceOf(n, round), n.bytes,
                                                   cudaMemcpyDefault),
                "node of the executable");
        else if (way == Enable)
          check(cudaGraphNodeSetEnabled(exec, n.node, round >> 1 & 1), "enable");
    });
    check(cudaGraphDestroy(graph), "graph");
  }

  const std::set<unsigned> Without;
  std::vector<unsigned> WrongLines;
  std::mutex CallsMutex;
  std::deque<HostCall> Calls;
};
