// Reads trace files (docs/design/trace-file.md) from front to back, in memory that does not grow
// with them. SPDX-License-Identifier: Apache-2.0
#include "trace/TraceFile.h"
#include "gpuinstr/abi.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/Profiles.h"
#include "profile/CallFigures.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace gpuinstr::cli {

using namespace trace;

namespace {

/// Takes entries and strings off a block's payload.
class Cursor {
public:
  explicit Cursor(const std::vector<char> &payload) : Payload(payload) {}

  template <class T> bool entry(T &out) {
    if (Payload.size() - At < sizeof(T))
      return false;
    std::memcpy(&out, Payload.data() + At, sizeof(T));
    At += sizeof(T);
    return true;
  }
  /// An entry that grew: older files have its first `least` bytes.
  template <class T> bool entryFrom(T &out, std::size_t least) {
    std::size_t bytes = std::min(Payload.size() - At, sizeof(T));
    if (bytes < least)
      return false;
    std::memcpy(&out, Payload.data() + At, bytes);
    At += bytes;
    return true;
  }
  bool string(std::string &out) {
    uint32_t length = 0;
    if (!entry(length) || Payload.size() - At < length)
      return false;
    out.assign(Payload.data() + At, length);
    At += length;
    return true;
  }
  void align() { At = std::min((At + 7) & ~std::size_t(7), Payload.size()); }

private:
  const std::vector<char> &Payload;
  std::size_t At = 0;
};

bool readSite(Cursor &cursor, uint32_t &index, TraceSite &site) {
  SiteEntry entry;
  if (!cursor.entry(entry))
    return false;
  index = entry.index;
  site.line = entry.line, site.column = entry.column, site.flags = entry.flags;
  site.op = entry.op, site.resource = entry.resource, site.detail = entry.detail;
  site.id = entry.id;
  for (std::string *text : {&site.file, &site.function, &site.callee, &site.variable, &site.type})
    if (!cursor.string(*text))
      return false;
  site.called = profile::functionName(site.callee, site.op == GPUINSTR_OP_LAUNCH);
  site.arguments.resize(entry.numArguments);
  for (std::string &argument : site.arguments)
    if (!cursor.string(argument))
      return false;
  return true;
}

Failure because(const std::string &path, const std::string &what) {
  return Failure(path + ": " + what);
}

std::FILE *openFile(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw because(path, "a folder");
  std::FILE *file = std::fopen(path.c_str(), "rbe");
  if (!file)
    throw because(path, std::strerror(errno));
  noteInput(path);
  return file;
}

/// Reads `size` bytes, or as many as there are: `out` grows with what the file has, not with what
/// it says.
bool readInto(std::vector<char> &out, std::size_t size, std::FILE *file) {
  constexpr std::size_t Piece = std::size_t(64) << 10;
  for (std::size_t at = 0; at < size;) {
    std::size_t bytes = std::min(Piece, size - at);
    out.resize(at + bytes);
    if (std::fread(out.data() + at, 1, bytes, file) != bytes)
      return false;
    at += bytes;
  }
  out.resize(size);
  return true;
}

} // namespace

TraceFile::TraceFile(const std::string &path) : TraceFile(path, openFile(path)) {}

TraceFile::TraceFile(const std::string &path, std::FILE *file) : Path(path), File(file) {
  FileHeader header;
  if (std::fread(&header, 1, sizeof header, File.get()) != sizeof header ||
      std::memcmp(header.magic, Magic, sizeof Magic) != 0)
    throw because(path, "not a trace of gpuinstr");
  if (header.version != Version)
    throw because(path, "trace format " + std::to_string(header.version) +
                            "; this gpuinstr reads " + std::to_string(Version));
  if (header.headerBytes < sizeof header || header.recordBytes < sizeof(Record) ||
      header.headerBytes > 4096 || header.recordBytes > 4096)
    throw because(path, "a damaged header");
  FirstBlock = header.headerBytes;
  RecordBytes = header.recordBytes;
  scan();
  if (Clocks == 0)
    throw because(path, Problem.empty() ? "a trace without an event" : Problem);
  if (Last.ticks > First.ticks)
    NsPerTick = double(Last.monotonicNs - First.monotonicNs) / double(Last.ticks - First.ticks);
  Offset = realtimeOffset();
  rewind();
}

void TraceFile::stop(const std::string &what) {
  if (Problem.empty())
    Problem = what + " at byte " + std::to_string(Good) + ": what follows is left out";
}

/// False at the end and at what is damaged. Records are not read when `wantRecords` is false: their
/// checksum is then looked at later.
bool TraceFile::readBlock(BlockHeader &header, bool wantRecords) {
  std::size_t got = std::fread(&header, 1, sizeof header, File.get());
  if (got != sizeof header) {
    if (std::ferror(File.get()))
      throw because(Path, std::strerror(errno));
    if (got)
      stop("cut");
    return false;
  }
  bool isRecords = header.type == uint32_t(BlockType::Records);
  if (header.bytes > MaxBlockBytes || header.bytes % 8 ||
      (isRecords && uint64_t(header.count) * RecordBytes > header.bytes)) {
    stop("damaged");
    return false;
  }
  if (!readInto(Payload, header.bytes, File.get())) {
    stop("cut");
    return false;
  }
  if ((!isRecords || wantRecords) && checksum(header, Payload.data()) != header.checksum) {
    stop("damaged");
    return false;
  }
  return true;
}

void TraceFile::take(const BlockHeader &header) {
  Cursor cursor(Payload);
  for (uint32_t i = 0; i < header.count; ++i) {
    bool good = true;
    switch (BlockType(header.type)) {
    case BlockType::Process: {
      ProcessEntry entry{};
      good = cursor.entry(entry) && cursor.string(Process.host) && cursor.string(Process.command) &&
             cursor.string(Process.version);
      Process.pid = entry.pid, Process.rank = entry.rank;
      break;
    }
    case BlockType::End:
    case BlockType::Clock: {
      ClockEntry entry{};
      if ((good = cursor.entryFrom(entry, offsetof(ClockEntry, thinned)))) {
        (Clocks++ ? Last : First) = entry;
        if (Clocks == 1)
          Last = entry;
        Ended |= header.type == uint32_t(BlockType::End);
      }
      break;
    }
    case BlockType::Site: {
      TraceSite site;
      uint32_t index = 0;
      if ((good = readSite(cursor, index, site)))
        Sites[index] = std::move(site);
      break;
    }
    case BlockType::Name: {
      NameEntry entry{};
      good = cursor.entry(entry) && cursor.string(Names[entry.index]);
      break;
    }
    case BlockType::Thread: {
      ThreadEntry entry{};
      good = cursor.entry(entry) && cursor.string(Threads[entry.index].name);
      Threads[entry.index].tid = entry.tid;
      break;
    }
    case BlockType::Device: {
      DeviceEntry entry{};
      TraceDevice device;
      good = cursor.entry(entry) && cursor.string(device.name);
      device.ordinal = entry.ordinal, device.memory = entry.memory;
      if (good)
        Devices.push_back(std::move(device));
      break;
    }
    case BlockType::Thinned: {
      ThinnedEntry entry{};
      if ((good = cursor.entry(entry)))
        Thinned[entry.site] = entry.records;
      break;
    }
    case BlockType::Power: {
      PowerEntry entry{};
      if ((good = cursor.entry(entry)))
        Power.push_back(entry);
      break;
    }
    default: // of the future: who knows what its entries are, and its count may be anything
      return;
    }
    if (!good)
      return stop("damaged");
    cursor.align();
  }
}

void TraceFile::scan() {
  Good = FirstBlock;
  std::fseek(File.get(), long(FirstBlock), SEEK_SET);
  BlockHeader header;
  while (Problem.empty() && readBlock(header, false)) {
    if (header.type == uint32_t(BlockType::Records))
      Records += header.count;
    else
      take(header);
    Good = uint64_t(std::ftell(File.get()));
  }
}

void TraceFile::rewind() {
  std::fseek(File.get(), long(FirstBlock), SEEK_SET);
  Left = 0;
}

uint64_t TraceFile::hostNs(uint64_t ticks) const {
  double ns = double(int64_t(ticks - First.ticks)) * NsPerTick;
  if (-ns > double(First.monotonicNs)) // in a damaged file: before the clock began
    return 0;
  constexpr double Most = 9e18; // fits
  return First.monotonicNs + uint64_t(int64_t(std::clamp(ns, -Most, Most)));
}

bool TraceFile::next(TraceEvent &event) {
  while (Left == 0) {
    if (uint64_t(std::ftell(File.get())) >= Good)
      return false;
    BlockHeader header;
    uint64_t before = uint64_t(std::ftell(File.get()));
    if (!readBlock(header, true)) {
      Good = before;
      if (Problem.find("at byte") != std::string::npos)
        Problem = "damaged at byte " + std::to_string(before) + ": what follows is left out";
      return false;
    }
    if (header.type != uint32_t(BlockType::Records))
      continue;
    Left = header.count;
    At = 0;
  }
  std::memcpy(&event.record, Payload.data() + At, sizeof(Record));
  At += RecordBytes;
  --Left;
  bool device = event.record.type == RecordType::Device && !(event.record.flags & Estimated);
  event.startNs = device ? event.record.start : hostNs(event.record.start);
  event.endNs = device ? event.record.end : hostNs(event.record.end);
  event.startNs += uint64_t(Offset);
  event.endNs = std::max(event.startNs, event.endNs + uint64_t(Offset));
  return true;
}

const TraceSite *TraceFile::site(uint32_t index) const {
  auto it = Sites.find(index);
  return it == Sites.end() ? nullptr : &it->second;
}
const TraceThread *TraceFile::thread(uint32_t index) const {
  auto it = Threads.find(index);
  return it == Threads.end() ? nullptr : &it->second;
}
const std::string &TraceFile::name(uint32_t index) const {
  static const std::string none;
  auto it = Names.find(index);
  return it == Names.end() ? none : it->second;
}

std::vector<TracePower> TraceFile::power() const {
  std::vector<TracePower> readings;
  for (const PowerEntry &entry : Power)
    readings.push_back({entry.ns + uint64_t(Offset), entry.device, entry.milliwatts, entry.smMhz,
                        entry.busyPercent});
  return readings;
}

uint64_t TraceFile::startNs() const { return First.monotonicNs + uint64_t(Offset); }
uint64_t TraceFile::endNs() const { return Last.monotonicNs + uint64_t(Offset); }

std::vector<std::unique_ptr<TraceFile>> openTraces(const std::vector<std::string> &given) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const std::string &name : given) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      paths.push_back(name);
      continue;
    }
    std::size_t before = paths.size();
    for (const fs::directory_entry &entry : fs::directory_iterator(name, error))
      if (entry.path().filename().string().find(".trace") != std::string::npos)
        paths.push_back(entry.path().string());
    if (error)
      throw because(name, error.message());
    if (paths.size() == before)
      throw because(name, "no *.trace in this folder");
    std::sort(paths.begin() + std::ptrdiff_t(before), paths.end(), naturalLess);
  }
  std::vector<std::unique_ptr<TraceFile>> files;
  std::map<std::string, int64_t> offsets; // of the first file of each host
  for (const std::string &path : paths) {
    auto file = std::make_unique<TraceFile>(path);
    auto [it, fresh] = offsets.emplace(file->process().host, file->realtimeOffset());
    // A reboot between the files: then their monotonic clocks have nothing in common.
    constexpr int64_t SameBoot = int64_t(60) * 1000000000;
    if (!fresh && std::abs(it->second - file->realtimeOffset()) < SameBoot)
      file->useRealtimeOffset(it->second);
    files.push_back(std::move(file));
  }
  return files;
}

} // namespace gpuinstr::cli
