// The event trace: option trace=PATH. Buffers of threads, the thread that writes, start and end.
// SPDX-License-Identifier: Apache-2.0
#include "trace/Trace.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/Part.h"
#include "base/text/Numbered.h"
#include "base/text/Stderr.h"
#include "calls/CudaState.h"
#include "cuda/Driver.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "trace/Describe.h"
#include "trace/Tables.h"
#include "trace/TraceSampling.h"
#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace gpuinstr::trace {

namespace {

constexpr uint32_t Capacity = 8192, SmallCapacity = 512, LargeBuffers = 16;
constexpr std::size_t MostDevice = 1 << 18; ///< device records waiting
constexpr long PeriodMs = 20, IdleMs = 100;
constexpr unsigned IdleRounds = 20;
constexpr uint64_t ClockPeriodNs = 1000000000;
constexpr std::size_t WriterStack = 256 << 10;

bool On = false; ///< set once, before the first enter

/// What the program's threads touch: held for a few instructions only.
struct Shared {
  std::mutex mutex;
  std::vector<Buffer *> buffers;
  std::vector<Record> device;
  std::vector<PowerEntry> power; ///< a few a second
  std::unordered_map<std::string, uint32_t> numbers;
  std::vector<std::string> names; ///< by number - 1
  uint32_t nextIndex = 1;
  uint64_t lost = 0;                     ///< of device records and of threads that ended
  std::map<SiteIndex, uint64_t> leftOut; ///< the same of calls left out within the budget
  bool writing = false;
  std::atomic<bool> closed{false};
};
/// What only who writes touches: held while the file is written.
struct Writing {
  std::mutex mutex;
  FileWriter file;
  Tables written;
  bool opened = false;
  uint64_t lost = 0;                       ///< did not fit into the file
  uint64_t handled = 0, handledDevice = 0; ///< records of all and of the second kind
  uint64_t nextClockNs = 0;
  std::string path;
};

Shared &shared() {
  static auto *instance = new Shared; // leaked: threads end after static destructors
  return *instance;
}
Writing &writing() {
  static auto *instance = new Writing;
  return *instance;
}
sem_t Wake;

uint64_t lostSoFar() {
  Shared &s = shared();
  std::lock_guard<std::mutex> lock(s.mutex);
  uint64_t lost = s.lost + writing().lost;
  for (const Buffer *buffer : s.buffers)
    lost += buffer->lost();
  return lost;
}

std::map<SiteIndex, uint64_t> leftOutSoFar() {
  Shared &s = shared();
  std::lock_guard<std::mutex> lock(s.mutex);
  std::map<SiteIndex, uint64_t> all = s.leftOut;
  for (const Buffer *buffer : s.buffers)
    buffer->sampling.eachDropped([&](SiteIndex site, uint64_t n) { all[site] += n; });
  return all;
}

uint64_t numberLeftOut() {
  uint64_t sum = 0;
  for (auto [site, number] : leftOutSoFar())
    sum += number;
  return sum;
}

void open(Writing &w) {
  const options::Options &options = options::options();
  std::vector<std::string> problems;
  std::string error, path = options::expandPath(options.trace, &problems);
  w.opened = true;
  w.path = w.file.open(path, options.trace_size, error, options::namingOf(options.trace));
  if (!error.empty())
    problems.push_back("no trace: " + error);
  for (const std::string &problem : problems)
    writeToStderr("gpuinstr: " + problem + "\n");
  if (!w.file.isOpen())
    return;
  writeProcess(w.file);
  writeStartClock(w.file);
}

void writeRow(Writing &w, const Record *records, uint32_t count) {
  w.written.describe(w.file, records, count, [](uint32_t number) {
    Shared &s = shared();
    std::lock_guard<std::mutex> lock(s.mutex);
    return number <= s.names.size() ? s.names[number - 1] : std::string();
  });
  std::vector<Record> shown; // only where some are not to be
  if (w.written.anyHidden(records, count)) {
    std::copy_if(records, records + count, std::back_inserter(shown),
                 [&](const Record &r) { return !w.written.isHidden(r.site); });
    records = shown.data();
    count = uint32_t(shown.size());
  }
  if (count)
    w.lost += count - w.file.records(records, count);
}

void writePower(FileWriter &file, const std::vector<PowerEntry> &readings) {
  Payload payload;
  for (const PowerEntry &reading : readings)
    payload.entry(reading);
  if (!readings.empty())
    file.block(BlockType::Power, uint32_t(readings.size()), payload);
}

/// Everything that was there when it began. Whether there was anything.
bool drain(Writing &w) {
  Shared &s = shared();
  std::vector<Buffer *> buffers;
  std::vector<Record> device;
  std::vector<PowerEntry> power;
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    buffers = s.buffers;
    device.swap(s.device);
    power.swap(s.power);
  }
  bool any = false;
  for (Buffer *buffer : buffers) {
    bool ended = buffer->ended.load(std::memory_order_acquire); // before its last record is read
    uint32_t count = 0;
    for (int part = 0; part < 2; ++part) { // to the ring's end, and from its start
      const Record *records = buffer->peek(count);
      if (!count)
        break;
      any = true;
      w.handled += count;
      w.written.describeThread(w.file, *buffer);
      writeRow(w, records, count);
      buffer->pop(count);
    }
    buffer->peek(count);
    if (!ended || count)
      continue;
    std::lock_guard<std::mutex> lock(s.mutex);
    s.lost += buffer->lost();
    buffer->sampling.eachDropped([&](SiteIndex site, uint64_t n) { s.leftOut[site] += n; });
    s.buffers.erase(std::find(s.buffers.begin(), s.buffers.end(), buffer));
    Buffer::destroy(buffer);
  }
  w.handled += device.size();
  w.handledDevice += device.size();
  constexpr std::size_t Row = 8192;
  for (std::size_t i = 0; i < device.size(); i += Row)
    writeRow(w, device.data() + i, uint32_t(std::min(Row, device.size() - i)));
  writePower(w.file, power);
  return any || !device.empty();
}

bool write(bool last) {
  Writing &w = writing();
  std::lock_guard<std::mutex> lock(w.mutex);
  if (!cudaUsed() || shared().closed)
    return false;
  if (!w.opened)
    open(w);
  bool any = drain(w);
  if (last) { // a second look: rings that were full twice over
    drain(w);
    w.written.describeDevices(w.file);
    w.written.writeThinned(w.file, leftOutSoFar());
    w.file.clock(BlockType::End, lostSoFar(), numberLeftOut());
    w.file.close();
    shared().closed = true;
  } else if (uint64_t now = monotonicNs(); any && now >= w.nextClockNs) {
    w.written.describeDevices(w.file);
    w.file.clock(BlockType::Clock, lostSoFar(), numberLeftOut());
    w.nextClockNs = now + ClockPeriodNs;
  }
  return any;
}

uint64_t threadTimeNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

/// This thread's processor time since the last time.
void chargeWriter(uint64_t &lastNs) {
  uint64_t now = threadTimeNs(), spent = now - std::exchange(lastNs, now);
  uint64_t handled, device;
  {
    std::lock_guard<std::mutex> lock(writing().mutex);
    handled = std::exchange(writing().handled, 0);
    device = std::exchange(writing().handledDevice, 0);
  }
  noteWriterCost(spent, handled, device);
  if (Self)
    Self->ownTicks += uint64_t(double(spent) / nsPerTick());
}

void *writerThread(void *) {
  pthread_setname_np(pthread_self(), "gpuinstr-trace");
  if (ThreadState *thread = thisThread()) // for what it costs
    thread->busy = true;
  uint64_t last = 0;
  unsigned idle = 0;
  while (!shared().closed) {
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (idle < IdleRounds ? PeriodMs : IdleMs) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    sem_timedwait(&Wake, &until);
    bool any = false;
    guarded([&] {
      any = write(false);
      chargeWriter(last);
    });
    idle = any ? 0 : idle + 1;
  }
  return nullptr;
}

void startWriter() {
  if (!startBackground(writerThread,
                       WriterStack)) // then all is written at exit, as far as the rings hold it
    writeToStderr("gpuinstr: trace: no thread can be started; the end of the run is lost\n");
}

/// The child starts a trace of its own with its first call; what waits in the rings is the
/// parent's.
void inChild() {
  Shared &s = shared();
  Writing &w = writing();
  if (Self)
    Self->trace.reset();
  for (Buffer *buffer : s.buffers)
    Buffer::destroy(buffer);
  s.buffers.clear();
  s.device.clear();
  s.power.clear();
  s.lost = 0;
  s.leftOut.clear();
  s.writing = false;
  s.closed = false;
  w.file.close();
  w.written = {};
  w.opened = false;
  w.lost = w.nextClockNs = w.handled = w.handledDevice = 0;
  w.path.clear();
  sem_init(&Wake, 0, 0);
  startTraceSampling();
}

} // namespace

static void startTrace() {
  if (options::options().trace.empty() || !options::options().enabled)
    return;
  (void)shared(); // made here, where running out of memory is expected
  (void)writing();
  On = sem_init(&Wake, 0, 0) == 0;
  startTraceSampling();
}

bool isOn() { return On; }

void wakeWriter() { sem_post(&Wake); }

Buffer *bufferOf(ThreadState &thread) {
  if (auto *buffer = static_cast<Buffer *>(thread.trace.get()))
    return buffer;
  Shared &s = shared();
  if (!On || s.closed)
    return nullptr;
  BusyScope busy(thread);
  guarded([&] {
    bool starts = false;
    {
      std::lock_guard<std::mutex> lock(s.mutex);
      uint32_t capacity = s.buffers.size() < LargeBuffers ? Capacity : SmallCapacity;
      Buffer *buffer = Buffer::make(capacity, s.nextIndex, uint32_t(syscall(SYS_gettid)));
      if (!buffer)
        return;
      thread.trace = std::shared_ptr<void>(
          buffer, [](void *b) { static_cast<Buffer *>(b)->ended.store(true); });
      s.buffers.push_back(buffer);
      ++s.nextIndex;
      starts = !s.writing;
      s.writing = true;
    }
    if (starts)
      startWriter();
  });
  return static_cast<Buffer *>(thread.trace.get());
}

uint32_t nameNumber(const std::string &name) {
  Shared &s = shared();
  std::lock_guard<std::mutex> lock(s.mutex);
  return uint32_t(placeOf(s.names, s.numbers, name, name) + 1);
}

void addDevice(const Record &record) {
  Shared &s = shared();
  if (!On || s.closed)
    return;
  guarded([&] {
    std::lock_guard<std::mutex> lock(s.mutex);
    if (s.device.size() < MostDevice)
      s.device.push_back(record);
    else
      ++s.lost;
    if (s.device.size() == MostDevice / 4)
      wakeWriter();
  });
}

void addPower(const PowerEntry &reading) {
  constexpr std::size_t Most = MaxBlockBytes / sizeof(PowerEntry) / 2;
  Shared &s = shared();
  if (!On || s.closed)
    return;
  guarded([&] {
    std::lock_guard<std::mutex> lock(s.mutex);
    if (s.power.size() < Most)
      s.power.push_back(reading);
  });
}

uint64_t correlationOfCall(ThreadState &thread) {
  Buffer *buffer = On ? bufferOf(thread) : nullptr;
  return !buffer ? 0 : buffer->skipping ? LeftOut : buffer->nextCorrelation();
}

void leftOutDevice(SiteIndex site) {
  Shared &s = shared();
  guarded([&] {
    std::lock_guard<std::mutex> lock(s.mutex);
    ++s.leftOut[site];
  });
}

void flush(bool last) {
  if (On)
    guarded([&] { write(last); });
}

namespace {

/// What was lost or left out and why.
std::vector<std::string> traceNotes() {
  std::vector<std::string> notes;
  if (!On)
    return notes;
  Writing &w = writing();
  std::lock_guard<std::mutex> lock(w.mutex);
  uint64_t lost = lostSoFar();
  if (w.file.error())
    notes.push_back("trace: writing failed: " + std::string(strerror(w.file.error())));
  if (lost)
    notes.push_back("trace: " + std::to_string(lost) + " events are not in it" +
                    (w.file.full() ? ": trace_size was reached" : ""));
  if (uint64_t thinned = numberLeftOut())
    notes.push_back("trace: " + std::to_string(thinned) +
                    " events of hot sites are left out: budget=" +
                    std::to_string(options::options().budget) + " (budget=100 keeps all)");
  return notes;
}

class TracePart : public Part {
public:
  void start() override { startTrace(); }
  void beforeReport(Ending ending) override { flush(ending != Ending::Now); }
  void lock() override {
    if (!On)
      return;
    writing().mutex.lock();
    shared().mutex.lock();
  }
  void unlock() override {
    if (!On)
      return;
    shared().mutex.unlock();
    writing().mutex.unlock();
  }
  void childAfterFork() override {
    if (On)
      inChild();
  }
  void notes(std::vector<std::string> &to, Ending) override {
    for (std::string &note : traceNotes())
      to.push_back(std::move(note));
  }
};

} // namespace

Part &tracePart() {
  static Part *part = new TracePart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr::trace
