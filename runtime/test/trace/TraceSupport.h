// A process that traces, and what it left in the file.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_TRACE_TRACESUPPORT_H
#define GPUINSTR_TEST_TRACE_TRACESUPPORT_H

#include "Support.h"
#include "trace/FileWriter.h"
#include "trace/Trace.h"
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <unistd.h>
#include <vector>

namespace gpuinstr::test {

/// The records of a file and its names, blocks checked.
struct Contents {
  std::vector<trace::Record> records;
  std::vector<uint32_t> sites;          ///< described, in their order
  std::map<uint32_t, uint64_t> thinned; ///< by site
  trace::ClockEntry end{};
  bool ended = false;
};

inline Contents contentsOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  Contents c;
  std::size_t at = sizeof(trace::FileHeader);
  EXPECT_GT(bytes.size(), at);
  while (at + sizeof(trace::BlockHeader) <= bytes.size()) {
    trace::BlockHeader header;
    std::memcpy(&header, &bytes[at], sizeof header);
    at += sizeof header;
    EXPECT_LE(at + header.bytes, bytes.size());
    EXPECT_EQ(header.bytes % 8, 0u);
    EXPECT_EQ(header.checksum, trace::checksum(header, &bytes[at]));
    if (header.type == uint32_t(trace::BlockType::Records)) {
      std::size_t before = c.records.size();
      c.records.resize(before + header.count);
      std::memcpy(&c.records[before], &bytes[at], header.count * sizeof(trace::Record));
    } else if (header.type == uint32_t(trace::BlockType::Site)) {
      uint32_t index;
      std::memcpy(&index, &bytes[at], sizeof index);
      c.sites.push_back(index);
    } else if (header.type == uint32_t(trace::BlockType::Thinned)) {
      for (uint32_t i = 0; i < header.count; ++i) {
        trace::ThinnedEntry entry;
        std::memcpy(&entry, &bytes[at + i * sizeof entry], sizeof entry);
        c.thinned[entry.site] = entry.records;
      }
    } else if (header.type == uint32_t(trace::BlockType::End)) {
      std::memcpy(&c.end, &bytes[at], sizeof c.end);
      c.ended = true;
    }
    at += header.bytes;
  }
  EXPECT_EQ(at, bytes.size());
  return c;
}

class Trace : public testing::Test {
protected:
  // Tests are processes of their own (gtest_discover_tests): the option is read once.
  void start(const std::string &more = "") {
    Path = testing::TempDir() + "/gpuinstr-" + std::to_string(getpid()) + ".trace";
    unlink(Path.c_str()); // of a process that had this number before
    setenv("GPUINSTR_OPTIONS", ("report=off:trace=" + Path + more).c_str(), 1);
    FakeDriver::install();
    table();
    ASSERT_TRUE(trace::isOn());
  }
  Contents finish() {
    trace::flush(true);
    return contentsOf(Path);
  }
  void TearDown() override { unlink(Path.c_str()); }
  std::string Path;
};

} // namespace gpuinstr::test

#endif
