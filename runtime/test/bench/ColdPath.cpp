// What a launch costs in the middle of a driver: the caches are full of other things.
// SPDX-License-Identifier: Apache-2.0
//
// usage: gpuinstr-bench-coldpath [ROUNDS [captures]]
//   Between the calls a stand-in for the driver walks code and data of a few hundred KB, in an
//   order that its own branches depend on. Rounds of launches with and without enter and leave
//   alternate; prints the median difference in ns, by what is called, with its 95 % interval. The
//   repeated copy is an asynchronous one of 4 KiB from pinned memory. A step is an upload of 64
//   KiB, 8 launches that read and write buffers, a download of 4 KiB and a synchronisation: what
//   GPUINSTR_OPTIONS=audit=sampled:budget=0 costs more there than audit=off is the auditor's
//   bookkeeping. captures: launches into a capture and a round of calls around one launch in it
//   (CaptureRound.h), while device times are taken.
#include "../../../tools/bench/statistics/Statistics.h"
#include "CaptureRound.h"
#include <cstring>
#include <functional>
#include <time.h>

namespace bench = gpuinstr::bench;
using namespace bench;

namespace {

constexpr unsigned Words = 24 * 1024;
alignas(64) uint64_t Data[Words];

/// About 200 bytes of code each, four lines of data, three branches that depend on them.
template <unsigned N> __attribute__((noinline)) uint64_t step(uint64_t x) {
  constexpr unsigned At = N * 2654435761u;
  uint64_t a = Data[(At >> 3) % Words], b = Data[(At >> 9) % Words];
  if ((a ^ x) & (1u << N % 7))
    x += a * (N + 3);
  else
    x ^= a + N;
  Data[(At >> 14) % Words] = x;
  if (b > a + N)
    x = (x << 7 | x >> 57) + b;
  if ((x + N) & 64)
    x -= Data[(At >> 5) % Words] ^ N;
  return x;
}

uint64_t Sum = 1;
template <unsigned First, unsigned... N>
__attribute__((noinline)) void walk(std::integer_sequence<unsigned, N...>) {
  uint64_t x = Sum;
  ((x = step<First + N * 7 % sizeof...(N)>(x)), ...);
  Sum = x & 0xff; // much the same way each time, as a driver that launches one kernel goes
}

/// __cudaPopCallConfiguration is small, cudaLaunchKernel large.
void popConfiguration() { walk<0>(std::make_integer_sequence<unsigned, 10>()); }
void launchKernel() { walk<10>(std::make_integer_sequence<unsigned, 390>()); }

gpuinstr_site Outer = makeSite(GPUINSTR_OP_LAUNCH, 2, GPUINSTR_SITE_ASYNC, 0);
gpuinstr_site Inner = makeInnerLaunch(3);
gpuinstr_site Sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, 5, GPUINSTR_SITE_CUDA_ERROR, 0);
gpuinstr_site Query = makeSite(GPUINSTR_OP_OTHER, 4, GPUINSTR_SITE_CUDA_ERROR, 0);

void plainLaunch() {
  popConfiguration();
  launchKernel();
}

void launch(const gpuinstr_table *table, const void *kernel, void **arguments) {
  bench::launch(table, Outer, Inner, kernel, arguments, 0, popConfiguration, launchKernel);
}

void query(const gpuinstr_table *table) {
  gpuinstr_frame user;
  user.callers[0] = nullptr;
  user.site = &Query;
  table->enter(&user);
  plainLaunch();
  table->leave(&user, 0);
}

/// Around as much of a driver as a launch goes through.
void call(const gpuinstr_table *table, gpuinstr_site &site,
          std::initializer_list<std::pair<unsigned, uint64_t>> operands) {
  bench::call(table, site, operands, launchKernel);
}

constexpr uint32_t CopySlots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) |
                               bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_KIND) |
                               bit(GPUINSTR_SLOT_STREAM);
constexpr uint32_t AllocSlots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES);
gpuinstr_site Alloc = makeSite(GPUINSTR_OP_ALLOC, 6, GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
gpuinstr_site Upload =
    makeSite(GPUINSTR_OP_COPY, 7, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_ASYNC, CopySlots);
gpuinstr_site Download =
    makeSite(GPUINSTR_OP_COPY, 8, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_ASYNC, CopySlots);
gpuinstr_site SyncStream =
    makeSite(GPUINSTR_OP_SYNC_STREAM, 9, GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_STREAM));

constexpr uint64_t StepBytes = 65536, ResultBytes = 4096;
alignas(4096) char Host[StepBytes], Result[ResultBytes], Input[StepBytes], Work[StepBytes];

uint64_t addressOf(const void *place) { return reinterpret_cast<uint64_t>(place); }

void allocate(const gpuinstr_table *table, void *place, uint64_t bytes, unsigned resource) {
  uint64_t pointer = addressOf(place);
  Alloc.resource = uint16_t(resource);
  call(table, Alloc, {{GPUINSTR_SLOT_DST, addressOf(&pointer)}, {GPUINSTR_SLOT_BYTES, bytes}});
}

void step(const gpuinstr_table *table) {
  call(table, Upload,
       {{GPUINSTR_SLOT_DST, addressOf(Input)},
        {GPUINSTR_SLOT_SRC, addressOf(Host)},
        {GPUINSTR_SLOT_BYTES, StepBytes},
        {GPUINSTR_SLOT_KIND, 1},
        {GPUINSTR_SLOT_STREAM, 0}});
  const void *input = Input;
  void *work = Work;
  int n = StepBytes / 4;
  void *arguments[] = {&input, &work, &n};
  for (int i = 0; i < 8; ++i)
    if (table)
      launch(table, &RelaxStub, arguments);
    else
      plainLaunch();
  call(table, Download,
       {{GPUINSTR_SLOT_DST, addressOf(Result)},
        {GPUINSTR_SLOT_SRC, addressOf(Work)},
        {GPUINSTR_SLOT_BYTES, ResultBytes},
        {GPUINSTR_SLOT_KIND, 2},
        {GPUINSTR_SLOT_STREAM, 0}});
  call(table, SyncStream, {{GPUINSTR_SLOT_STREAM, 0}});
}

gpuinstr_site Free = makeSite(GPUINSTR_OP_FREE, 10, GPUINSTR_SITE_CUDA_ERROR,
                              bit(GPUINSTR_SLOT_DST), GPUINSTR_RES_DEVICE);

void allocateAndFree(const gpuinstr_table *table) {
  static char block[1 << 20];
  allocate(table, block, sizeof block, GPUINSTR_RES_DEVICE);
  call(table, Free, {{GPUINSTR_SLOT_DST, addressOf(block)}});
}

gpuinstr_site Repeat =
    makeSite(GPUINSTR_OP_COPY, 11, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_ASYNC, CopySlots);

void repeatCopy(const gpuinstr_table *table) {
  call(table, Repeat,
       {{GPUINSTR_SLOT_DST, addressOf(Work)},
        {GPUINSTR_SLOT_SRC, addressOf(Host)},
        {GPUINSTR_SLOT_BYTES, ResultBytes},
        {GPUINSTR_SLOT_KIND, 1},
        {GPUINSTR_SLOT_STREAM, 0}});
}

void startSteps(const gpuinstr_table *table) {
  allocate(table, Host, StepBytes, GPUINSTR_RES_PINNED);
  allocate(table, Result, ResultBytes, GPUINSTR_RES_PINNED);
  allocate(table, Input, StepBytes, GPUINSTR_RES_DEVICE);
  allocate(table, Work, StepBytes, GPUINSTR_RES_DEVICE);
}

/// The processor time of this thread: what else runs on the machine counts less.
uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

constexpr unsigned Calls = 20, Chunks = 40;

/// Chunks so short that most of them meet no interrupt; what else runs only lengthens them.
void compare(const char *name, unsigned rounds, const std::function<void()> &with,
             const std::function<void()> &without = plainLaunch) {
  std::vector<double> plain, differences;
  for (unsigned i = 0; i < rounds + 5; ++i) {
    std::vector<double> times[2];
    for (unsigned chunk = 0; chunk < 2 * Chunks; ++chunk) {
      const std::function<void()> &call = chunk % 2 ? with : without;
      call();
      uint64_t start = now();
      for (unsigned j = 0; j < Calls; ++j)
        call();
      times[chunk % 2].push_back(double(now() - start) / Calls);
    }
    if (i < 5)
      continue;
    for (auto &t : times)
      std::nth_element(t.begin(), t.begin() + Chunks / 5, t.end());
    plain.push_back(times[0][Chunks / 5]);
    differences.push_back(times[1][Chunks / 5] - times[0][Chunks / 5]);
  }
  Interval d = medianInterval(differences);
  std::printf("%s: %.1f ns [%.1f, %.1f] (95 %%, %u rounds; %.0f ns without)\n", name, d.median,
              d.low, d.high, rounds, medianInterval(plain).median);
}

void compareCaptures(const gpuinstr_table *table, unsigned rounds) {
  static CaptureRound<launchKernel> round, plain; // the report at exit reads its sites
  auto launchInto = [&] {
    bench::launch(table, Outer, Inner, &EmptyStub, nullptr, CapturedStream, popConfiguration,
                  launchKernel);
  };
  compare(
      "round of captures", rounds / 2, [&] { round.run(table, launchInto); },
      [&] { plain.run(nullptr, plainLaunch); });
  round.begin(table);
  compare("captured launch", rounds, launchInto);
  round.end(table);
}

} // namespace

int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? unsigned(std::atoi(argv[1])) : 200;
  for (unsigned i = 0; i < Words; ++i)
    Data[i] = i * 0x9e3779b97f4a7c15u;
  const bool captures = argc > 2 && !std::strcmp(argv[2], "captures");
  if (captures)
    FakeCuda = GPUINSTR_BENCH_CUDA_EVENTS;
  const gpuinstr_table *table = connect();
  registerKernels(table, &Outer);
  gpuinstr_frame frame = {};
  frame.site = &Sync; // as programs do before: options are looked at, CUDA is up
  for (int i = 0; i < 3; ++i) {
    table->enter(&frame);
    table->leave(&frame, 0);
  }
  if (captures) {
    compareCaptures(table, rounds);
    return 0;
  }
  compare("launch", rounds, [&] { launch(table, &EmptyStub, nullptr); });
  compare("other call", rounds, [&] { query(table); });
  compare(
      "allocation and free", rounds, [&] { allocateAndFree(table); },
      [] { allocateAndFree(nullptr); });
  startSteps(table);
  compare(
      "repeated copy", rounds, [&] { repeatCopy(table); }, [] { repeatCopy(nullptr); });
  compare(
      "step", rounds / 5, [&] { step(table); }, [] { step(nullptr); });
  compare("nothing", rounds, plainLaunch);
}
