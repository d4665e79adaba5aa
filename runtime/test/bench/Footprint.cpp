// Single calls between marks, for tools/bench/footprint: it reads what valgrind saw there.
// SPDX-License-Identifier: Apache-2.0
//
// usage: gpuinstr-bench-footprint ROW FILE
//   Makes the calls of ROW until they need no look any more, then some with footprintMark() before
//   and behind each. FILE gets the addresses of the mark and the stack, and the process's mappings,
//   then `end`. The driver is FakeCuda.cpp: what is counted is the runtime's own.
#include "CaptureRound.h"
#include "PoolCalls.h"
#include <fstream>
#include <map>
#include <string>

using namespace gpuinstr::bench;

extern "C" __attribute__((noinline)) void footprintMark() { __asm__ volatile("" ::: "memory"); }

namespace {

constexpr int Warm = 300, Marked = 31;
constexpr uint64_t Bytes = 4096;
constexpr int LaunchesOfCapture = 100;

gpuinstr_site Outer = makeSite(GPUINSTR_OP_LAUNCH, 1, GPUINSTR_SITE_ASYNC, 0);
gpuinstr_site OuterBack = makeSite(GPUINSTR_OP_LAUNCH, 17, GPUINSTR_SITE_ASYNC, 0);
gpuinstr_site Inner = makeInnerLaunch(2);
constexpr uint32_t AllocSlots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES);
gpuinstr_site Alloc =
    makeSite(GPUINSTR_OP_ALLOC, 3, GPUINSTR_SITE_CUDA_ERROR, AllocSlots, GPUINSTR_RES_DEVICE);
gpuinstr_site AllocHost =
    makeSite(GPUINSTR_OP_ALLOC, 4, GPUINSTR_SITE_CUDA_ERROR, AllocSlots, GPUINSTR_RES_PINNED);
gpuinstr_site Free = makeSite(GPUINSTR_OP_FREE, 5, GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_DST),
                              GPUINSTR_RES_DEVICE);
gpuinstr_site Copy =
    makeSite(GPUINSTR_OP_COPY, 6, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_ASYNC,
             bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) | bit(GPUINSTR_SLOT_BYTES) |
                 bit(GPUINSTR_SLOT_KIND) | bit(GPUINSTR_SLOT_STREAM));
gpuinstr_site Download = makeSite(GPUINSTR_OP_COPY, 8, GPUINSTR_SITE_CUDA_ERROR,
                                  bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) |
                                      bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_KIND));
gpuinstr_site Sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, 7, GPUINSTR_SITE_CUDA_ERROR, 0);
gpuinstr_site SyncStream =
    makeSite(GPUINSTR_OP_SYNC_STREAM, 9, GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_STREAM));

constexpr uint32_t OfDriver = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER;
gpuinstr_site Record = makeSite(GPUINSTR_OP_RECORD_EVENT, 10, OfDriver | GPUINSTR_SITE_ASYNC,
                                bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM));
/// As CudaApi.def describes them: cuEventQuery, cuStreamQuery, cuGraphExecKernelNodeSetParams.
gpuinstr_site withDetail(gpuinstr_site site, uint16_t detail) {
  site.detail = detail;
  return site;
}
gpuinstr_site Query =
    withDetail(makeSite(GPUINSTR_OP_QUERY, 11, OfDriver, bit(GPUINSTR_SLOT_DST)), 1);
gpuinstr_site StreamQuery =
    makeSite(GPUINSTR_OP_QUERY, 13, OfDriver, bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM));
gpuinstr_site Wait = makeSite(GPUINSTR_OP_WAIT_EVENT, 14, OfDriver | GPUINSTR_SITE_ASYNC,
                              bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM));
gpuinstr_site NodeUpdate = withDetail(makeSite(GPUINSTR_OP_GRAPH_NODE, 12, OfDriver,
                                               bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_PARAMS)),
                                      2);
constexpr uint32_t HandleSlot = bit(GPUINSTR_SLOT_DST);
gpuinstr_site CreateEvent = makeSite(GPUINSTR_OP_CREATE, 15, OfDriver,
                                     HandleSlot | bit(GPUINSTR_SLOT_KIND), GPUINSTR_RES_EVENT);
gpuinstr_site DestroyEvent =
    makeSite(GPUINSTR_OP_DESTROY, 16, OfDriver, HandleSlot, GPUINSTR_RES_EVENT);
gpuinstr_site Roots[PointerFunctions];

alignas(4096) char Host[Bytes], Device[Bytes], Block[1 << 20];

/// Where a driver would be.
void nothing() {}

uint64_t addressOf(const void *place) { return reinterpret_cast<uint64_t>(place); }

void allocate(const gpuinstr_table *table, gpuinstr_site &site, uint64_t pointer, uint64_t bytes) {
  call(table, site, {{GPUINSTR_SLOT_DST, addressOf(&pointer)}, {GPUINSTR_SLOT_BYTES, bytes}},
       nothing);
}

void allocateAndFree(const gpuinstr_table *table) {
  allocate(table, Alloc, addressOf(Block), sizeof Block);
  call(table, Free, {{GPUINSTR_SLOT_DST, addressOf(Block)}}, nothing);
}

void copy(const gpuinstr_table *table) {
  call(table, Copy,
       {{GPUINSTR_SLOT_DST, addressOf(Device)},
        {GPUINSTR_SLOT_SRC, addressOf(Host)},
        {GPUINSTR_SLOT_BYTES, Bytes},
        {GPUINSTR_SLOT_KIND, 1},
        {GPUINSTR_SLOT_STREAM, 0}},
       nothing);
}

void launchInto(const gpuinstr_table *table, uint64_t stream) {
  launch(table, Outer, Inner, &EmptyStub, nullptr, stream, nothing, nothing);
}

/// What a kernel came to: a download that waits, into the stack.
void download(const gpuinstr_table *table) {
  float last = 0;
  call(table, Download,
       {{GPUINSTR_SLOT_DST, addressOf(&last)},
        {GPUINSTR_SLOT_SRC, addressOf(Device)},
        {GPUINSTR_SLOT_BYTES, sizeof last},
        {GPUINSTR_SLOT_KIND, 2}},
       nothing);
}

/// As relax<<<>>>(from, to, count).
void launchRelax(const gpuinstr_table *table, gpuinstr_site &line, const char *from,
                 const char *to) {
  int count = 1;
  void *arguments[] = {&from, &to, &count};
  launch(table, line, Inner, &RelaxStub, arguments, 0, nothing, nothing);
}

void downloadAsync(const gpuinstr_table *table) {
  call(table, Copy,
       {{GPUINSTR_SLOT_DST, addressOf(Host)},
        {GPUINSTR_SLOT_SRC, addressOf(Device)},
        {GPUINSTR_SLOT_BYTES, sizeof(float)},
        {GPUINSTR_SLOT_KIND, 2},
        {GPUINSTR_SLOT_STREAM, 0}},
       nothing);
}

void sync(const gpuinstr_table *table) { call(table, Sync, {}, nothing); }
void syncStream(const gpuinstr_table *table) {
  call(table, SyncStream, {{GPUINSTR_SLOT_STREAM, 0}}, nothing);
}

/// cuLaunchKernel as the attached library hands it on. `frame` is its own, and not on the stack.
void launchRoot(const gpuinstr_table *table, gpuinstr_site &site, uint64_t function,
                void **arguments) {
  static gpuinstr_frame frame;
  frame.site = &site;
  for (unsigned i : {GPUINSTR_SLOT_GRID_XY, GPUINSTR_SLOT_GRID_Z, GPUINSTR_SLOT_BLOCK_XY,
                     GPUINSTR_SLOT_BLOCK_Z, GPUINSTR_SLOT_SHARED, GPUINSTR_SLOT_STREAM})
    frame.slot[i] = 1;
  frame.slot[GPUINSTR_SLOT_FUNC] = function;
  frame.slot[GPUINSTR_SLOT_ARGS] = addressOf(arguments);
  table->enter(&frame);
  nothing();
  table->leave(&frame, 0);
}

/// Memory that only launches get, where a device's is: valgrind puts all of ours below 4 GiB, among
/// the numbers that a search for addresses meets.
constexpr uint64_t DeviceMemory = 0x7f1200000000, PartBytes = 1 << 16;

/// A kernel with three pointers; `kind` of several, each at a line and with memory of its own.
void launchPointers(const gpuinstr_table *table, unsigned kind) {
  uint64_t values[3];
  void *arguments[3];
  for (unsigned i = 0; i < 3; ++i) {
    values[i] = DeviceMemory + (3 * kind + i) * PartBytes;
    arguments[i] = &values[i];
  }
  launchRoot(table, Roots[kind], FirstFunction + kind, arguments);
}

/// One that gets all it needs in a struct, as the element-wise kernels of PyTorch do.
void launchStruct(const gpuinstr_table *table) {
  uint64_t value[StructBytes / sizeof(uint64_t)] = {};
  for (unsigned i : {40, 41, 42})
    value[i] = DeviceMemory + i;
  void *arguments[] = {value};
  launchRoot(table, Roots[0], StructFunction, arguments);
}

/// What launchPointers() gives to its kernels, each an allocation.
void allocateForRoots(const gpuinstr_table *table) {
  for (unsigned i = 0; i < PointerFunctions; ++i)
    Roots[i] = makeRootLaunch(20 + i);
  for (unsigned i = 0; i < 3 * PointerFunctions; ++i)
    allocate(table, Alloc, DeviceMemory + i * PartBytes, PartBytes);
}

void record(const gpuinstr_table *table, uint64_t stream) {
  call(table, Record, {{GPUINSTR_SLOT_DST, 0x6000}, {GPUINSTR_SLOT_STREAM, stream}}, nothing);
}

void createAndDestroy(const gpuinstr_table *table) {
  uint64_t event = 0x6000;
  call(table, CreateEvent, {{GPUINSTR_SLOT_DST, addressOf(&event)}, {GPUINSTR_SLOT_KIND, 2}},
       nothing);
  call(table, DestroyEvent, {{GPUINSTR_SLOT_DST, event}}, nothing);
}

template <class Work> void measure(Work work, int warm = Warm) {
  for (int i = 0; i < warm; ++i)
    work();
  for (int i = 0; i < Marked; ++i) {
    footprintMark();
    work();
  }
  footprintMark();
}

/// Made before the process's mappings are written down.
PoolCalls<nothing> &pool(const gpuinstr_table *table) {
  static PoolCalls<nothing> one(table);
  return one;
}

void measureCaptured(const gpuinstr_table *table) {
  static CaptureRound<nothing> round;
  round.begin(table);
  int left = LaunchesOfCapture;
  measure([&] {
    if (left-- == 0) {
      round.end(table);
      round.begin(table);
      left = LaunchesOfCapture;
    }
    launchInto(table, CapturedStream);
  });
}
void measureCaptures(const gpuinstr_table *table) {
  static CaptureRound<nothing> round;
  measure([&] { round.run(table, [&] { launchInto(table, CapturedStream); }); });
}
void measureGraph(const gpuinstr_table *table) {
  static CaptureRound<nothing> round;
  round.run(table, [&] { launchInto(table, CapturedStream); });
  measure([&] { round.launchGraph(table); });
}

/// Two lines, each of which hands the other's buffers back.
void measureInTurn(const gpuinstr_table *table) {
  unsigned next = 0;
  measure([&] {
    if (next++ % 2)
      launchRelax(table, OuterBack, Device, Block);
    else
      launchRelax(table, Outer, Block, Device);
  });
}

/// As where streams take turns: one records, the other waits.
void measureWait(const gpuinstr_table *table) {
  record(table, 0x7000);
  measure([&] {
    call(table, Wait, {{GPUINSTR_SLOT_DST, 0x6000}, {GPUINSTR_SLOT_STREAM, 1}}, nothing);
  });
}

using Table = const gpuinstr_table *;
const std::map<std::string, void (*)(Table)> Rows = {
    {"malloc+free", [](Table t) { measure([&] { allocateAndFree(t); }); }},
    {"copy", [](Table t) { measure([&] { copy(t); }); }},
    {"launch", [](Table t) { measure([&] { launchInto(t, 0); }); }},
    {"launch-pointers", [](Table t) { measure([&] { launchRelax(t, Outer, Block, Device); }); }},
    {"launches-in-turn", measureInTurn},
    {"round", [](Table t) { measure([&] { launchInto(t, 0), download(t); }); }},
    {"round-pointers",
     [](Table t) { measure([&] { launchRelax(t, Outer, Block, Device), download(t); }); }},
    {"round-async",
     [](Table t) { measure([&] { launchInto(t, 0), downloadAsync(t), syncStream(t); }); }},
    {"round-sync", [](Table t) { measure([&] { launchInto(t, 0), sync(t); }); }},
    {"captured-launch", measureCaptured},
    {"capture-round", measureCaptures},
    {"graph-launch", measureGraph},
    {"root-launch", [](Table t) { measure([&] { launchPointers(t, 0); }); }},
    {"root-launches-in-turn",
     [](Table t) {
       unsigned next = 0;
       measure([&] { launchPointers(t, next++ % PointerFunctions); });
     }},
    {"root-launch-struct", [](Table t) { measure([&] { launchStruct(t); }); }},
    {"pool-set", [](Table t) { measure([&] { pool(t).set(); }); }},
    {"pool-copy", [](Table t) { measure([&] { pool(t).copy(0); }); }},
    {"pool-copies-in-turn",
     [](Table t) { measure([&] { pool(t).copyInTurn(); }, 60 * int(pool(t).Pairs)); }},
    {"event-create", [](Table t) { measure([&] { createAndDestroy(t); }); }},
    {"event-record", [](Table t) { measure([&] { record(t, 1); }); }},
    {"event-query",
     [](Table t) {
       record(t, 1);
       measure([&] { call(t, Query, {{GPUINSTR_SLOT_DST, 0x6000}}, nothing); });
     }},
    {"event-wait", measureWait},
    {"stream-query",
     [](Table t) {
       measure([&] {
         call(t, StreamQuery, {{GPUINSTR_SLOT_DST, 1}, {GPUINSTR_SLOT_STREAM, 1}}, nothing);
       });
     }},
    {"node-update",
     [](Table t) {
       measure([&] {
         call(t, NodeUpdate, {{GPUINSTR_SLOT_DST, 0x5000}, {GPUINSTR_SLOT_PARAMS, addressOf(Host)}},
              nothing);
       });
     }},
};

/// What the rows whose name begins so get beside.
void prepare(const gpuinstr_table *table, const std::string &row) {
  auto begins = [&](const char *with) { return row.rfind(with, 0) == 0; };
  registerKernels(table, &Outer);
  for (int i = 0; i < 3; ++i) // as programs do before: options are looked at, CUDA is up
    sync(table);
  if (begins("root-"))
    return allocateForRoots(table);
  allocate(table, AllocHost, addressOf(Host), Bytes);
  allocate(table, Alloc, addressOf(Device), Bytes);
  if (begins("pool-"))
    pool(table);
  if (row != "malloc+free")
    allocate(table, Alloc, addressOf(Block), sizeof Block);
}

} // namespace

int main(int argc, char **argv) {
  const auto row = argc == 3 ? Rows.find(argv[1]) : Rows.end();
  if (row == Rows.end())
    return 2;
  if (row->first == "capture-round")
    FakeCuda = GPUINSTR_BENCH_CUDA_EVENTS;
  const gpuinstr_table *table = connect();
  prepare(table, row->first);
  std::ofstream(argv[2]) << "mark " << addressOf(reinterpret_cast<void *>(footprintMark))
                         << "\nstack " << addressOf(__builtin_frame_address(0)) << '\n'
                         << std::ifstream("/proc/self/maps").rdbuf() << "end\n";
  row->second(table);
}
