// What random programs work on: streams, events, buffers on both sides, and how they come and go.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "generate.h"
#include "sites.h"
#include "unseen.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <type_traits>

class ProgramState {
protected:
  explicit ProgramState(const Features &features) : F(features) {}

  static constexpr unsigned Slots = 8, Streams = 4, Events = 3, Sources = 4, Targets = 2;
  static constexpr unsigned HeldStream = 3; ///< where kernels wait for the flag

  struct Slot {
    char *memory = nullptr;
    size_t bytes = 0;
    int stream = -1; ///< of memory of a pool: where alone it is used
    bool isManaged = false;
  };
  /// Who runs operations: the program's thread, or one beside it.
  struct Actor {
    unsigned number = 0, round = 0;
    cudaStream_t capture = nullptr;
    bool isCapturing = false;
  };

  void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess)
      return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    _exit(3);
  }

  void start() {
    Streams_[0] = nullptr;
    for (unsigned i = 1; i < F.streams; ++i)
      check(cudaStreamCreateWithFlags(&Streams_[i],
                                      i == 1 ? cudaStreamDefault : cudaStreamNonBlocking),
            "stream");
    if (F.async)
      for (cudaEvent_t &event : Events_)
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
    check(cudaMallocHost(&Flag, sizeof *Flag), "flag");
    *Flag = 1;
    for (unsigned i = 0; i < Sources; ++i) {
      allocateHost(Source[i], i);
      pattern(Source[i], i, 0, F.bytes);
    }
    for (unsigned i = 0; i < Targets; ++i)
      for (unsigned actor = 0; actor < 2; ++actor)
        allocateHost(Target[actor][i], i);
    if (F.tables) {
      check(cudaMalloc(&Table, sizeof Entries), "table");
      check(cudaMemset(Table, 0, sizeof Entries), "table");
    }
    if (F.arrays) {
      cudaChannelFormatDesc format = cudaCreateChannelDesc<char>();
      check(cudaMallocArray(&Array, &format, F.bytes / 16, 16), "array");
    }
    if (F.unseen)
      openUnseen("libunseen.so");
  }

  /// Code without instrumentation. In the program itself it would keep all other programs from
  /// proving anything.
  void openUnseen(const char *file) {
    void *library = dlopen(file, RTLD_NOW);
    if (!library)
      return;
    auto find = [&](auto *&function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    find(Foreign.set, "unseenSet");
    find(Foreign.upload, "unseenUpload");
    find(Foreign.launch, "unseenLaunch");
  }

  /// 0 pageable, 1 pinned, 2 registered, 3 pinned and write-combined.
  void allocateHost(char *&memory, unsigned kind) {
    if (kind == 1 || kind == 3)
      check(cudaHostAlloc(&memory, F.bytes, kind == 3 ? cudaHostAllocWriteCombined : 0), "pinned");
    else
      memory = static_cast<char *>(aligned_alloc(4096, (F.bytes + 4095) / 4096 * 4096));
    memset(memory, 0, F.bytes);
    if (kind == 2)
      check(cudaHostRegister(memory, F.bytes, 0), "register");
  }
  void freeHost(char *memory, unsigned kind) {
    if (kind == 2)
      check(cudaHostUnregister(memory), "unregister");
    if (kind == 1 || kind == 3)
      check(cudaFreeHost(memory), "free host");
    else
      free(memory);
  }

  /// What no graph and no thread knows by its address is given back, or pinned where it is.
  void anew(const Operation &op) {
    sync();
    const unsigned which = op.r[1] % 3, kind = op.r[2] % 4;
    unsigned &known = which == 2 ? KindOfTarget : KindOf[3 * which];
    char *&memory = which == 2 ? Target[0][0] : Source[3 * which];
    if (op.r[3] % 3 == 0 && known % 2 == 0) {
      check(known ? cudaHostUnregister(memory) : cudaHostRegister(memory, F.bytes, 0), "pinned");
      known = 2 - known;
      return;
    }
    freeHost(memory, known);
    allocateHost(memory, kind);
    known = kind;
    if (op.r[4] % 2)
      pattern(memory, op.r[4] / 2, 0, F.bytes);
  }

  void finish() {
    release();
    check(cudaDeviceSynchronize(), "end");
    for (unsigned i = 0; i < Slots; ++i)
      if (!F.leaks || i % 3)
        freeSlot(D[i], i);
    for (unsigned i = 0; i < Sources; ++i)
      freeHost(Source[i], KindOf[i]);
    for (unsigned i = 0; i < Targets; ++i)
      for (unsigned actor = 0; actor < 2; ++actor)
        freeHost(Target[actor][i], actor || i ? i : KindOfTarget);
    for (unsigned i = 1; i < F.streams; ++i)
      check(cudaStreamDestroy(Streams_[i]), "stream");
    if (F.async)
      for (cudaEvent_t event : Events_)
        check(cudaEventDestroy(event), "event");
    check(cudaFreeHost(const_cast<int *>(Flag)), "flag");
    if (Table)
      check(cudaFree(Table), "table");
    if (Array)
      check(cudaFreeArray(Array), "array");
  }

  void release() { __atomic_store_n(Flag, 1, __ATOMIC_RELEASE); }
  void sync() {
    release();
    check(cudaDeviceSynchronize(), "synchronise");
  }

  Slot *slot(uint32_t r, const Actor &actor) {
    Slot &slot = D[r % F.slots];
    bool fits = slot.memory && !(actor.isCapturing && (slot.stream >= 0 || slot.isManaged));
    return fits ? &slot : nullptr;
  }
  unsigned streamFor(const Slot &slot, uint32_t r) {
    return slot.stream >= 0 ? unsigned(slot.stream) : r % F.streams;
  }
  cudaStream_t stream(unsigned index, const Actor &actor) {
    return actor.isCapturing ? actor.capture : Streams_[index];
  }
  /// Which part of a buffer is meant: mostly all of it.
  static void part(uint32_t r, size_t bytes, size_t &offset, size_t &size) {
    offset = 0;
    size = bytes;
    if (r % 8 == 6)
      size = bytes / 2;
    if (r % 8 == 7) {
      offset = bytes / 4;
      size = bytes / 2;
    }
  }
  /// Before a call that does not go to the stream of a pool's memory.
  void settle(const Slot &slot) {
    if (slot.stream >= 0)
      sync();
  }

  void pattern(char *memory, uint32_t which, size_t offset, size_t size) {
    uint32_t value = which % 8 < 6 ? which % 8 : 100 + ++Fresh;
    auto *words = reinterpret_cast<uint32_t *>(memory + offset);
    for (size_t i = 0; i < size / 4; ++i)
      words[i] = value == 0 ? 0 : value == 1 ? 0x3f800000 : value * 2654435761u ^ uint32_t(i);
  }

  unsigned source(uint32_t r, const Actor &actor) { return actor.isCapturing ? 1 : r % Sources; }
  char *target(uint32_t r, const Actor &actor) {
    return Target[actor.number][actor.isCapturing ? 1 : r % Targets];
  }

  void allocate(const Operation &op) {
    Slot &s = D[op.r[0] % F.slots];
    if (s.memory)
      return;
    size_t bytes = op.r[2] % 4 || F.bytes < 2048 ? F.bytes : F.bytes / 2;
    s = Slot();
    s.bytes = bytes;
    if (op.kind == Kind::AllocateAsync) {
      s.stream = int(op.r[3] % F.streams);
      check(site::allocateAsync(op.r[1], &s.memory, bytes, Streams_[s.stream]), "allocate");
    } else if (op.kind == Kind::AllocateManaged) {
      s.isManaged = true;
      check(site::allocateManaged(op.r[1], &s.memory, bytes), "allocate");
    } else {
      check(site::allocate(op.r[1], &s.memory, bytes), "allocate");
    }
  }

  void freeSlot(Slot &s, uint32_t which) {
    if (!s.memory)
      return;
    release();
    for (int *entry : Entries)
      if (entry && entry == reinterpret_cast<int *>(s.memory)) {
        for (int *&each : Entries)
          each = nullptr;
        sync();
        check(cudaMemset(Table, 0, sizeof Entries), "table");
        break;
      }
#if CARRIED
    if (IsKept) {
      sync();
      keep<<<1, 1>>>(nullptr);
      check(cudaGetLastError(), "keep");
      sync();
      IsKept = false;
    }
#endif
    if (s.stream >= 0)
      check(site::releaseAsync(which, s.memory, Streams_[s.stream]), "free");
    else
      check(site::release(which, s.memory), "free");
    s.memory = nullptr;
  }

  Features F;
  Slot D[Slots];
  cudaStream_t Streams_[Streams] = {};
  cudaEvent_t Events_[Events] = {};
  volatile int *Flag = nullptr;
  char *Source[Sources] = {}, *Target[2][Targets] = {};
  unsigned KindOf[Sources] = {0, 1, 2, 3}, KindOfTarget = 0;
  int **Table = nullptr, *Entries[TableEntries] = {};
  size_t LeastInTable = 0;
  cudaArray_t Array = nullptr;
  Unseen Foreign = {};
  std::atomic<uint32_t> Fresh{0};
  std::atomic<bool> IsKept{false};
};
