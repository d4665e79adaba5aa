// Appends blocks to a trace file (docs/design/trace-file.md), up to a size.
// SPDX-License-Identifier: Apache-2.0
#include "trace/FileWriter.h"
#include "base/Clock.h"
#include "base/system/QuietWrite.h"
#include "options/PathPattern.h"
#include <algorithm>
#include <cerrno>
#include <sys/uio.h>
#include <unistd.h>

namespace gpuinstr::trace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they stand");

void Payload::string(std::string_view text) {
  text = text.substr(0, 65536);
  entry(uint32_t(text.size()));
  Bytes.insert(Bytes.end(), text.begin(), text.end());
}

std::string FileWriter::open(const std::string &path, uint64_t limit, std::string &error,
                             options::Naming naming) {
  std::string taken;
  File = options::openNewFile(path, taken, error, naming);
  if (File < 0)
    return "";
  Limit = limit;
  Written = Records = 0;
  Full = false;
  Error = 0;
  FileHeader header = {};
  std::memcpy(header.magic, Magic, sizeof Magic);
  header.version = Version;
  header.headerBytes = sizeof header;
  header.recordBytes = sizeof(Record);
  iovec whole{&header, sizeof header};
  if (writeQuietly(File, &whole, 1) != ssize_t(sizeof header))
    Error = errno ? errno : ENOSPC;
  Written = sizeof header;
  return taken;
}

void FileWriter::close() {
  if (File >= 0)
    ::close(File);
  File = -1;
}

/// One call of writev where the system takes it so: a process that is killed in between leaves a
/// block whole or cut at the end of the file.
bool FileWriter::write(BlockType type, uint32_t count, const void *payload, uint32_t bytes) {
  if (File < 0 || Error)
    return false;
  BlockHeader header = {uint32_t(type), bytes, count, 0};
  header.checksum = checksum(header, payload);
  iovec parts[2] = {{&header, sizeof header}, {const_cast<void *>(payload), bytes}};
  iovec *next = parts;
  int left = 2;
  while (left) {
    ssize_t n = writeQuietly(File, next, left);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      Error = errno;
      return false;
    }
    for (auto done = size_t(n); left && done >= next->iov_len; ++next, --left)
      done -= next->iov_len, n -= ssize_t(next->iov_len);
    if (left) {
      next->iov_base = static_cast<char *>(next->iov_base) + n;
      next->iov_len -= size_t(n);
    }
  }
  Written += sizeof header + bytes;
  return true;
}

void FileWriter::block(BlockType type, uint32_t count, const Payload &payload) {
  if (payload.bytes().size() <= MaxBlockBytes)
    write(type, count, payload.bytes().data(), uint32_t(payload.bytes().size()));
}

uint32_t FileWriter::records(const Record *records, uint32_t count) {
  // Tables and the end may still go behind the limit: they are small.
  uint64_t room = Limit > Written + sizeof(BlockHeader) ? Limit - Written - sizeof(BlockHeader) : 0;
  uint32_t fits = uint32_t(std::min<uint64_t>(count, room / sizeof(Record)));
  Full |= fits < count;
  if (fits == 0 || !write(BlockType::Records, fits, records, fits * uint32_t(sizeof(Record))))
    return 0;
  Records += fits;
  return fits;
}

void FileWriter::clock(BlockType type, uint64_t lost, uint64_t thinned) {
  ClockEntry entry = {};
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 5; ++i) { // the tightest of a few readings
    uint64_t before = ticks(), ns = monotonicNs();
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t after = ticks();
    if (after - before >= width)
      continue;
    width = after - before;
    entry.ticks = before + width / 2;
    entry.monotonicNs = ns;
    entry.realtimeNs = uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
  }
  entry.records = Records;
  entry.lost = lost;
  entry.thinned = thinned;
  Payload payload;
  payload.entry(entry);
  block(type, 1, payload);
}

} // namespace gpuinstr::trace
