// Appends blocks to a trace file (docs/design/trace-file.md), up to a size.
// SPDX-License-Identifier: Apache-2.0
//
// Not shared between threads: its owner locks.
#ifndef GPUINSTR_TRACE_FILEWRITER_H
#define GPUINSTR_TRACE_FILEWRITER_H

#include "options/PathPattern.h"
#include "trace/Format.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::trace {

/// A payload under construction.
class Payload {
public:
  template <class T> void entry(const T &value) {
    auto *bytes = reinterpret_cast<const char *>(&value);
    Bytes.insert(Bytes.end(), bytes, bytes + sizeof value);
  }
  /// Longer than 64 KiB is cut.
  void string(std::string_view text);
  void align() { Bytes.resize((Bytes.size() + 7) & ~std::size_t(7)); }
  const std::vector<char> &bytes() const { return Bytes; }

private:
  std::vector<char> Bytes;
};

class FileWriter {
public:
  /// The file's path; "" and `error` when it cannot be made. Counts at most `limit` bytes.
  std::string open(const std::string &path, uint64_t limit, std::string &error,
                   options::Naming naming = options::Naming::OfAll);
  bool isOpen() const { return File >= 0; }
  void close();

  void block(BlockType type, uint32_t count, const Payload &payload);
  /// How many fitted in; writes all of them or, at the limit, none of the rest for good.
  uint32_t records(const Record *records, uint32_t count);
  void clock(BlockType type, uint64_t lost, uint64_t thinned);

  uint64_t recordsWritten() const { return Records; }
  bool full() const { return Full; }
  /// A write failed (disk full): nothing more is written. 0 or errno.
  int error() const { return Error; }

private:
  bool write(BlockType type, uint32_t count, const void *payload, uint32_t bytes);

  int File = -1, Error = 0;
  uint64_t Written = 0, Limit = 0, Records = 0;
  bool Full = false;
};

} // namespace gpuinstr::trace

#endif
