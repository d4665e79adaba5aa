// Writes trace files as docs/design/trace-file.md describes them, for tests and the benchmark.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TEST_SUPPORT_TRACEMAKER_H
#define GPUINSTR_CLI_TEST_SUPPORT_TRACEMAKER_H

#include "gpuinstr/abi.h"
#include "trace/Format.h"
#include <string>
#include <vector>

namespace gpuinstr::test {

class TraceMaker {
public:
  TraceMaker() {
    trace::FileHeader header = {};
    std::memcpy(header.magic, trace::Magic, sizeof header.magic);
    header.version = trace::Version;
    header.headerBytes = sizeof header;
    header.recordBytes = sizeof(trace::Record);
    bytes.assign(reinterpret_cast<char *>(&header), sizeof header);
  }

  std::string bytes; ///< of the file so far

  template <class T> TraceMaker &entry(const T &value) {
    Payload.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  TraceMaker &text(const std::string &text) {
    entry(uint32_t(text.size()));
    Payload += text;
    return *this;
  }
  /// Ends a block of what was put in since the last.
  TraceMaker &block(trace::BlockType type, uint32_t count = 1) {
    Payload.resize((Payload.size() + 7) & ~std::size_t(7));
    trace::BlockHeader header = {uint32_t(type), uint32_t(Payload.size()), count, 0};
    header.checksum = trace::checksum(header, Payload.data());
    bytes.append(reinterpret_cast<char *>(&header), sizeof header);
    bytes += Payload;
    Payload.clear();
    return *this;
  }

  TraceMaker &process(uint32_t pid, int rank, const std::string &host = "node1") {
    return entry(trace::ProcessEntry{pid, rank, 0})
        .text(host)
        .text("./app")
        .text("x")
        .block(trace::BlockType::Process);
  }
  /// A tick is half a ns.
  TraceMaker &clock(uint64_t ns, trace::BlockType type = trace::BlockType::Clock, uint64_t lost = 0,
                    uint64_t thinned = 0) {
    return entry(trace::ClockEntry{2 * ns, 1000 + ns, 5000000 + ns, 0, lost, thinned}).block(type);
  }
  TraceMaker &site(uint32_t index, unsigned op, const std::string &callee, uint32_t line,
                   const std::string &variable = "") {
    trace::SiteEntry e = {};
    e.index = index, e.line = line, e.op = uint16_t(op), e.numArguments = 1, e.id = 0xabc0 + index;
    return entry(e)
        .text("app.cu")
        .text("step")
        .text(callee)
        .text(variable)
        .text("float")
        .text("a, \"b\"")
        .block(trace::BlockType::Site);
  }
  TraceMaker &name(uint32_t index, const std::string &name) {
    return entry(trace::NameEntry{index, 0}).text(name).block(trace::BlockType::Name);
  }
  TraceMaker &thread(uint32_t index, uint32_t tid, const std::string &name) {
    return entry(trace::ThreadEntry{index, tid}).text(name).block(trace::BlockType::Thread);
  }
  TraceMaker &device(uint32_t ordinal, const std::string &name) {
    return entry(trace::DeviceEntry{ordinal, 0, 80000000000})
        .text(name)
        .block(trace::BlockType::Device);
  }
  TraceMaker &records(const std::vector<trace::Record> &records) {
    for (const trace::Record &record : records)
      entry(record);
    return block(trace::BlockType::Records, uint32_t(records.size()));
  }
  TraceMaker &end(uint64_t ns, uint64_t lost = 0, uint64_t thinned = 0) {
    return clock(ns, trace::BlockType::End, lost, thinned);
  }
  TraceMaker &thinned(uint32_t site, uint64_t records) {
    return entry(trace::ThinnedEntry{site, 0, records}).block(trace::BlockType::Thinned);
  }

  /// Times in ns since the first clock entry.
  static trace::Record call(unsigned op, uint32_t site, uint64_t start, uint64_t end,
                            uint64_t correlation = 0) {
    trace::Record r = {};
    r.start = 2 * start, r.end = 2 * end;
    r.site = site, r.thread = 1, r.correlation = correlation;
    r.type = trace::RecordType::Host;
    r.op = uint8_t(op);
    r.device = trace::NoDevice;
    return r;
  }
  static trace::Record work(unsigned op, uint32_t site, uint64_t start, uint64_t end,
                            uint64_t correlation) {
    trace::Record r = call(op, site, 0, 0, correlation);
    r.start = 1000 + start, r.end = 1000 + end; // CLOCK_MONOTONIC
    r.type = trace::RecordType::Device;
    r.device = 0;
    return r;
  }

private:
  std::string Payload;
};

/// Two launches, a copy with both sides timed, an allocation, a range.
inline TraceMaker smallTrace(uint32_t pid = 77, int rank = -1, const std::string &host = "node1") {
  TraceMaker maker;
  maker.process(pid, rank, host).clock(0).thread(1, pid, "main").device(0, "Test GPU");
  maker.site(1, GPUINSTR_OP_ALLOC, "cudaMalloc", 10, "d_x");
  maker.site(2, GPUINSTR_OP_COPY, "cudaMemcpy", 11, "d_x");
  maker.site(3, GPUINSTR_OP_LAUNCH, "scale<float>", 12);
  maker.name(1, "_Z5scaleIfEvPT_i").name(2, "step \"1\"\n");
  std::vector<trace::Record> all;
  all.push_back(TraceMaker::call(GPUINSTR_OP_ALLOC, 1, 100, 200));
  all.back().bytes = 4096, all.back().memory.dst = 0x7000, all.back().resource = 1;
  all.push_back(TraceMaker::call(GPUINSTR_OP_COPY, 2, 300, 800, 0x10000000001));
  all.back().bytes = 4096, all.back().memory.direction = trace::Direction::HostToDevice;
  all.push_back(TraceMaker::work(GPUINSTR_OP_COPY, 2, 400, 700, 0x10000000001));
  all.back().bytes = 4096, all.back().memory.direction = trace::Direction::HostToDevice;
  all.back().memory.memory = trace::HostMemory::Pinned;
  for (uint64_t i = 0; i < 2; ++i) {
    trace::Record launch =
        TraceMaker::call(GPUINSTR_OP_LAUNCH, 3, 1000 + 100 * i, 1050 + 100 * i, 0x10000000002 + i);
    launch.name = 1, launch.launch = {{8, 2, 1}, {128, 1, 1}, 0, 512};
    launch.stream = 0xbeef0;
    all.push_back(launch);
  }
  trace::Record kernel = TraceMaker::work(GPUINSTR_OP_LAUNCH, 3, 1100, 1900, 0x10000000003);
  kernel.name = 1, kernel.launch = {{8, 2, 1}, {128, 1, 1}, 32, 512}, kernel.stream = 0xbeef0;
  all.push_back(kernel);
  trace::Record range = TraceMaker::call(0, 0, 50, 1200);
  range.type = trace::RecordType::Range, range.name = 2;
  all.push_back(range);
  return maker.records(all);
}

} // namespace gpuinstr::test

#endif
