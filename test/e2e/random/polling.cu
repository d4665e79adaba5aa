// Random programs of kernels that poll flags, beside copies, sets, events and other kernels on other streams. Each ends
// by itself: what sets a flag never waits for who polls it. A tool that puts work of its own in between must keep that.
// Streams share the queues of the copy engines: a copy that waits behind a kernel may hold up those of other streams.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// ONLY: gpu
// ARGS: 1 100
// TIMEOUT: 120
// EXPECT-STDOUT: 100 programs ended
//
// app FIRST COUNT [SECONDS]   programs of seeds FIRST to FIRST + COUNT - 1, in this process. One that has not ended after
//                             so many seconds (10): a line `SEED stuck`, where the program is on stderr, and exit code
//                             3. `--print` in place of SECONDS says what they do.
#include "../Inputs/check.h"

#include "Inputs/random.h"

#include <cuda_runtime.h>

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

constexpr unsigned Streams = 4, Flags = 6, Buffers = 4, Events = 4, Bytes = 1 << 18;

// May be at any place of memory that the kernel can read.
__global__ void poll(const volatile int *flag, int *seen) {
  while (!*flag)
    ;
  if (threadIdx.x == 0)
    seen[blockIdx.x % 64] = 1;
}
// Polls, but goes on after a while.
__global__ void pollSome(const volatile int *flag, int *seen, int rounds) {
  while (!*flag && rounds--)
    ;
  if (threadIdx.x == 0)
    seen[blockIdx.x % 64] = rounds;
}
__global__ void raise(int *flag) { *flag = 1; }
__global__ void add(int *x, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 1;
}
__global__ void look(const int *x, int *sum, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] == 0x12345)
    *sum = int(i);
}

enum Where { Mapped, Managed, Device };
const char *const WhereNames[] = {"mapped", "managed", "device"};

struct Flag {
  int *memory = nullptr; ///< as kernels see it
  Where where = Mapped;
  bool isSet = false, isFilled = false; ///< who polls it fills the device
};

class Program {
public:
  bool prints = false;

  void start() {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int perProcessor = 1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perProcessor, poll, 256, 0));
    Filling = strstr(properties.name, "simulator") ? 4 : unsigned(perProcessor * properties.multiProcessorCount);
    for (cudaStream_t &stream : S)
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&Raiser, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&Beside, cudaStreamNonBlocking));
    for (cudaEvent_t &event : E)
      CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (unsigned i = 0; i < Flags; ++i) {
      F[i].where = Where(i % 3);
      if (F[i].where == Mapped)
        CHECK(cudaHostAlloc(&F[i].memory, 4, cudaHostAllocMapped));
      else if (F[i].where == Managed)
        CHECK(cudaMallocManaged(&F[i].memory, 4));
      else
        CHECK(cudaMalloc(&F[i].memory, 4));
    }
    for (unsigned i = 0; i < Buffers; ++i) {
      CHECK(cudaMalloc(&D[i], Bytes));
      CHECK(cudaMallocHost(&Pinned[i], Bytes));
      Pageable[i].resize(Bytes);
      for (unsigned k = 0; k < Bytes; ++k)
        Pinned[i][k] = Pageable[i][k] = char(k * (i + 3) + k / 256);
    }
    CHECK(cudaMalloc(&Seen, 64 * sizeof(int)));
    CHECK(cudaMallocHost(&One, 4));
    *One = 1;
    // Code is loaded at its first launch, which may wait for all that is running.
    setFlag(F[0], 1);
    poll<<<1, 1, 0, S[0]>>>(F[0].memory, Seen);
    pollSome<<<1, 1, 0, S[0]>>>(F[0].memory, Seen, 1);
    raise<<<1, 1, 0, S[0]>>>(F[2].memory);
    add<<<1, 1, 0, S[0]>>>(reinterpret_cast<int *>(D[0]), 1);
    look<<<1, 1, 0, S[0]>>>(reinterpret_cast<int *>(D[0]), Seen, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }

  void finish() {
    for (cudaStream_t stream : S)
      CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(Raiser));
    for (cudaEvent_t event : E)
      CHECK(cudaEventDestroy(event));
    for (Flag &flag : F)
      CHECK(flag.where == Mapped ? cudaFreeHost(flag.memory) : cudaFree(flag.memory));
    CHECK(cudaStreamDestroy(Beside));
    for (unsigned i = 0; i < Buffers; ++i) {
      CHECK(cudaFree(D[i]));
      CHECK(cudaFreeHost(Pinned[i]));
    }
    CHECK(cudaFree(Seen));
    CHECK(cudaFreeHost(One));
  }

  void run(uint64_t seed) {
    Random r(seed);
    used = 2 + r.below(Streams - 1);
    fills = r.percent(40);
    for (auto &waits : streamWaits)
      waits.clear();
    for (auto &waits : eventWaits)
      waits.clear();
    uploadWaits.clear();
    downloadWaits.clear();
    for (Flag &flag : F) {
      setFlag(flag, 0);
      flag.isSet = flag.isFilled = false;
    }
    CHECK(cudaDeviceSynchronize());
    isBeside = r.percent(20);
    std::thread beside;
    if (isBeside) // copies from a thread of its own, on a stream that waits for nobody
      beside = std::thread([this, seed] { copies(seed * 31 + 7); });
    for (unsigned i = 0, count = 6 + r.below(40); i < count; ++i)
      one(r);
    for (Flag &flag : F)
      if (flag.where != Device)
        raiseFlag(flag);
    for (Flag &flag : F)
      if (flag.where == Device)
        raiseFlag(flag);
    if (isBeside)
      beside.join();
    CHECK(cudaDeviceSynchronize());
  }

private:
  /// While nothing runs that may poll it, or where the host may write it.
  void setFlag(Flag &flag, int value) {
    if (flag.where == Device)
      CHECK(cudaMemcpy(flag.memory, value ? One : Zero(), 4, cudaMemcpyHostToDevice));
    else
      __atomic_store_n(flag.memory, value, __ATOMIC_RELEASE);
  }
  static const int *Zero() {
    static const int zero = 0;
    return &zero;
  }
  void raiseFlag(Flag &flag) {
    setFlag(flag, 1); // a copy of four bytes: the default stream waits for no other
    isRaised(flag);
  }
  void isRaised(Flag &flag) {
    flag.isSet = true;
    flag.isFilled = false;
    unsigned number = unsigned(&flag - F);
    for (auto &waits : streamWaits)
      waits.erase(number);
    for (auto &waits : eventWaits)
      waits.erase(number);
    uploadWaits.erase(number);
    downloadWaits.erase(number);
  }
  /// An upload that waits until a copy raises a flag may hold up that copy.
  bool mayUpload(unsigned s) const {
    for (unsigned f : streamWaits[s])
      if (F[f].where == Device)
        return false;
    return true;
  }
  /// A kernel, or a set, which is one: it begins when nothing fills the device.
  void needsRoom(unsigned s) {
    for (unsigned f = 0; f < Flags; ++f)
      if (F[f].isFilled)
        streamWaits[s].insert(f);
  }
  bool isFilled() const {
    for (const Flag &flag : F)
      if (flag.isFilled)
        return true;
    return false;
  }
  void say(const char *what, unsigned a, unsigned b = 0, const char *more = "") {
    if (prints)
      printf("  %s %u %u %s\n", what, a, b, more);
  }

  void one(Random &r) {
    unsigned s = r.below(used), f = r.below(Flags), b = r.below(Buffers), e = r.below(Events);
    Flag &flag = F[f];
    auto *x = reinterpret_cast<int *>(D[b]);
    switch (r.below(16)) {
    case 0:
    case 1: {
      // While the device is full, nothing is sure to move a managed page between it and the host.
      if (flag.isSet || (fills && flag.where == Managed))
        return;
      bool isFilling = fills && r.percent(50);
      // A device's flag is raised by the copy engine, which needs no multiprocessor.
      say("poll, flag on stream", f, s, isFilling ? "filling" : WhereNames[flag.where]);
      poll<<<isFilling ? Filling : 1 + r.below(3), isFilling ? 256 : 32, 0, S[s]>>>(flag.memory, Seen);
      CHECK(cudaGetLastError());
      streamWaits[s].insert(f);
      if (isFilling) { // kernels that have not begun wait for room
        flag.isFilled = true;
        for (auto &waits : streamWaits)
          waits.insert(f);
        for (auto &waits : eventWaits)
          waits.insert(f);
      }
      return;
    }
    case 2:
      say("poll for a while, flag on stream", f, s);
      pollSome<<<2, 32, 0, S[s]>>>(flag.memory, Seen, 1000);
      needsRoom(s);
      CHECK(cudaGetLastError());
      return;
    case 3:
      if (flag.where == Device && !uploadWaits.empty())
        return;
      say("the host raises", f, 0, WhereNames[flag.where]);
      return raiseFlag(flag);
    case 4:
      if (flag.where != Device || !streamWaits[s].empty())
        s = Streams; // a stream that only raises flags
      if (flag.where != Device || !uploadWaits.empty())
        return;
      say("a copy raises, on stream", f, s);
      CHECK(cudaMemcpyAsync(flag.memory, One, 4, cudaMemcpyHostToDevice, s < Streams ? S[s] : Raiser));
      return isRaised(flag);
    case 5:
      if (!streamWaits[s].empty() || isFilled())
        return;
      say("a kernel raises, on stream", f, s);
      raise<<<1, 1, 0, S[s]>>>(flag.memory);
      CHECK(cudaGetLastError());
      return isRaised(flag);
    case 6:
    case 7:
      if (!mayUpload(s))
        return;
      say("upload, buffer on stream", b, s);
      uploadWaits.insert(streamWaits[s].begin(), streamWaits[s].end());
      CHECK(cudaMemcpyAsync(D[b], Pinned[b], Bytes, cudaMemcpyHostToDevice, S[s]));
      return;
    case 8:
      if (!uploadWaits.empty())
        return;
      say("upload, blocking", b);
      CHECK(cudaMemcpy(D[b], r.percent(50) ? Pinned[b] : Pageable[b].data(), Bytes, cudaMemcpyHostToDevice));
      return;
    case 9:
      say("download, buffer on stream", b, s);
      downloadWaits.insert(streamWaits[s].begin(), streamWaits[s].end());
      CHECK(cudaMemcpyAsync(Pinned[(b + 1) % Buffers], D[b], Bytes, cudaMemcpyDeviceToHost, S[s]));
      return;
    case 10:
      if (!downloadWaits.empty())
        return;
      say("download, blocking", b);
      CHECK(cudaMemcpy(Pageable[b].data(), D[b], Bytes, cudaMemcpyDeviceToHost));
      return;
    case 11:
      say("set, buffer on stream", b, s);
      needsRoom(s);
      CHECK(cudaMemsetAsync(D[b], 1, Bytes, S[s]));
      return;
    case 12:
      say("record, event on stream", e, s);
      eventWaits[e] = streamWaits[s];
      CHECK(cudaEventRecord(E[e], S[s]));
      return;
    case 13:
      say("wait, event on stream", e, s);
      streamWaits[s].insert(eventWaits[e].begin(), eventWaits[e].end());
      CHECK(cudaStreamWaitEvent(S[s], E[e], 0));
      return;
    case 14:
      say("kernel, buffer on stream", b, s);
      needsRoom(s);
      if (r.percent(50))
        add<<<Bytes / 4 / 256, 256, 0, S[s]>>>(x, Bytes / 4);
      else
        look<<<Bytes / 4 / 256, 256, 0, S[s]>>>(x, Seen, Bytes / 4);
      CHECK(cudaGetLastError());
      return;
    default:
      if (!streamWaits[s].empty() || isFilled())
        return;
      say("synchronise", s);
      CHECK(cudaStreamSynchronize(S[s]));
      return;
    }
  }

  void copies(uint64_t seed) {
    Random r(seed);
    for (unsigned i = 0; i < 4 + r.below(12); ++i) {
      unsigned b = r.below(Buffers);
      CHECK(cudaMemcpyAsync(D[b], Pinned[b], Bytes, cudaMemcpyHostToDevice, Beside));
      if (r.percent(40))
        CHECK(cudaStreamSynchronize(Beside));
    }
    CHECK(cudaStreamSynchronize(Beside));
  }

  cudaStream_t S[Streams], Raiser = nullptr, Beside = nullptr;
  cudaEvent_t E[Events];
  Flag F[Flags];
  char *D[Buffers] = {}, *Pinned[Buffers] = {};
  std::vector<char> Pageable[Buffers];
  int *Seen = nullptr, *One = nullptr;
  unsigned Filling = 0, used = 0;
  bool fills = false;
  /// The flags that must be raised before a stream goes on, or an event comes.
  std::set<unsigned> streamWaits[Streams], eventWaits[Events];
  /// ... before the copies go on that were put behind them, and maybe those of other streams.
  std::set<unsigned> uploadWaits, downloadWaits;
  bool isBeside = false;
};

void sayWhere(int) {
  void *frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), 2);
}

int main(int count, char **words) {
  if (count < 3)
    return fprintf(stderr, "usage: %s FIRST COUNT [SECONDS | --print]\n", words[0]), 2;
  uint64_t first = strtoull(words[1], nullptr, 10), programs = strtoull(words[2], nullptr, 10);
  bool prints = count > 3 && !strcmp(words[3], "--print");
  unsigned limit = count > 3 && !prints ? unsigned(atoi(words[3])) : 10;
  std::atomic<uint64_t> now{first}, beats{0};
  std::atomic<bool> isOver{false};
  pthread_t main = pthread_self();
  signal(SIGUSR2, sayWhere);
  void *one;
  backtrace(&one, 1); // loads what it needs
  std::thread watch([&] {
    uint64_t last = 0;
    for (unsigned tenths = 0; !isOver; ++tenths) {
      if (beats.load() != last) {
        last = beats.load();
        tenths = 0;
      }
      if (tenths > limit * 10) {
        printf("%llu stuck\n", static_cast<unsigned long long>(now.load()));
        fflush(stdout);
        pthread_kill(main, SIGUSR2);
        usleep(200000);
        _exit(3);
      }
      usleep(100000);
    }
  });
  Program program;
  program.prints = prints;
  program.start();
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    now = seed;
    if (prints)
      printf("%llu\n", static_cast<unsigned long long>(seed));
    program.run(seed);
    ++beats;
  }
  program.finish();
  isOver = true;
  watch.join();
  printf("%llu programs ended\n", static_cast<unsigned long long>(programs));
}
