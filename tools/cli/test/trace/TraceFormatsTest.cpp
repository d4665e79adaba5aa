// What gpuinstr trace writes, parsed again.
// SPDX-License-Identifier: Apache-2.0
#include "support/Temporary.h"
#include "support/TraceMaker.h"
#include "trace/Columns.h"
#include <map>
#include <nlohmann/json.hpp>

namespace gpuinstr::test {

using nlohmann::json;

static std::string convert(const Folder &folder, const std::string &ending) {
  std::string in = folder.write("in.trace", smallTrace().end(3000).bytes);
  std::string out = folder.file("out" + ending);
  Result result = gpuinstr({"trace", in, "-o", out});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "gpuinstr: 7 events of 1 process in " + out + "\n");
  return out;
}

TEST(TraceFormats, ChromeJson) {
  Folder folder;
  json trace = json::parse(cli::readText(convert(folder, ".json")));
  EXPECT_EQ(trace["baseTimeNanoseconds"], 5000000);
  EXPECT_EQ(trace["deviceProperties"][0]["name"], "Test GPU");
  std::map<std::string, json> complete;
  unsigned starts = 0, ends = 0;
  for (const json &event : trace["traceEvents"]) {
    starts += event["ph"] == "s";
    ends += event["ph"] == "f";
    if (event["ph"] == "X")
      complete[event["cat"].get<std::string>()] = event;
  }
  EXPECT_EQ(starts, 2u);
  EXPECT_EQ(ends, 2u);
  const json &copy = complete["gpu_memcpy"];
  EXPECT_EQ(copy["name"], "Memcpy HtoD (Pinned -> Device)");
  EXPECT_DOUBLE_EQ(copy["ts"].get<double>(), 0.4);
  EXPECT_DOUBLE_EQ(copy["dur"].get<double>(), 0.3);
  EXPECT_EQ(copy["args"]["bytes"], 4096);
  EXPECT_DOUBLE_EQ(copy["args"]["memory bandwidth (GB/s)"].get<double>(), 13.653);
  EXPECT_EQ(complete["kernel"]["args"]["grid"], json({8, 2, 1}));
  EXPECT_EQ(complete["kernel"]["args"]["registers per thread"], 32);
  EXPECT_EQ(complete["kernel"]["tid"], 13);
  EXPECT_EQ(complete["user_annotation"]["name"], "step \"1\"\n") << "escaped";
}

/// Thrift's compact protocol: numbers and texts by the path of field numbers and list places.
class Compact {
public:
  explicit Compact(std::string_view bytes) : Bytes(bytes) { object(""); }
  std::map<std::string, int64_t> numbers;
  std::map<std::string, std::string> texts;

private:
  std::string_view Bytes;
  uint8_t byte() {
    uint8_t b = uint8_t(Bytes.at(0));
    Bytes.remove_prefix(1);
    return b;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      uint8_t b = byte();
      value |= uint64_t(b & 0x7f) << shift;
      if (!(b & 0x80))
        return value;
    }
  }
  int64_t zigzag() {
    uint64_t v = varint();
    return int64_t(v >> 1) ^ -int64_t(v & 1);
  }
  void value(unsigned type, const std::string &path) {
    if (type == 5 || type == 6) {
      numbers[path] = zigzag();
    } else if (type == 8) {
      std::size_t size = varint();
      texts[path] = std::string(Bytes.substr(0, size));
      Bytes.remove_prefix(size);
    } else if (type == 9) {
      uint8_t head = byte();
      uint64_t size = head >> 4 == 15 ? varint() : head >> 4;
      numbers[path + "#"] = int64_t(size);
      for (uint64_t i = 0; i < size; ++i)
        value(head & 15, path + "[" + std::to_string(i) + "]");
    } else if (type == 12) {
      object(path);
    } else {
      FAIL() << "type " << type;
    }
  }
  void object(const std::string &path) {
    for (int field = 0;;) {
      uint8_t head = byte();
      if (head == 0)
        return;
      field = head >> 4 ? field + (head >> 4) : int(zigzag());
      value(head & 15, path + "." + std::to_string(field));
    }
  }

public:
  std::string_view rest() const { return Bytes; }
};

/// The values of column `index` of the first row group; numbers as text.
static std::vector<std::string> parquetColumn(const std::string &file, const Compact &footer,
                                              int index) {
  std::string chunk = ".4[0].1[" + std::to_string(index) + "].3";
  bool isText = footer.numbers.at(chunk + ".1") == 6;
  auto plain = [&](std::string_view bytes, std::size_t count) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < count; ++i) {
      int64_t number = 0;
      std::memcpy(&number, bytes.data(), isText ? 4 : 8);
      bytes.remove_prefix(isText ? 4 : 8);
      values.push_back(isText ? std::string(bytes.substr(0, std::size_t(number)))
                              : std::to_string(number));
      bytes.remove_prefix(isText ? std::size_t(number) : 0);
    }
    EXPECT_TRUE(bytes.empty());
    return values;
  };
  auto page = [&](int64_t offset, std::string_view &body) {
    Compact header(std::string_view(file).substr(std::size_t(offset)));
    body = header.rest().substr(0, std::size_t(header.numbers.at(".2")));
    return header.numbers;
  };
  std::string_view body;
  auto data = page(footer.numbers.at(chunk + ".9"), body);
  auto count = std::size_t(data.at(".5.1"));
  if (data.at(".5.2") == 0)
    return plain(body, count);
  std::string_view entries;
  auto dictionary = page(footer.numbers.at(chunk + ".11"), entries);
  std::vector<std::string> values = plain(entries, std::size_t(dictionary.at(".7.1"))), out;
  unsigned width = unsigned(body[0]);
  EXPECT_EQ(body[1] & 1, 1) << "a bit-packed run; few rows: its header is one byte";
  for (std::size_t i = 0; i < count; ++i) {
    unsigned number = 0;
    for (unsigned b = 0; b < width; ++b)
      number |= unsigned(body[2 + (i * width + b) / 8] >> (i * width + b) % 8 & 1) << b;
    out.push_back(values.at(number));
  }
  return out;
}

TEST(TraceFormats, ParquetHoldsTheRowsOfTheCsv) {
  Folder folder;
  std::string file = cli::readText(convert(folder, ".parquet"));
  std::string csv = cli::readText(convert(folder, ".csv"));
  ASSERT_EQ(file.substr(0, 4) + file.substr(file.size() - 4), "PAR1PAR1");
  uint32_t size;
  std::memcpy(&size, file.data() + file.size() - 8, 4);
  Compact footer(std::string_view(file).substr(file.size() - 8 - size, size));
  EXPECT_TRUE(footer.rest().empty());
  EXPECT_EQ(footer.numbers.at(".3"), 7);
  int columns = int(cli::traceColumns().size());
  EXPECT_EQ(footer.numbers.at(".2[0].5"), columns);
  for (int i = 0; i < columns; ++i) {
    const cli::TraceColumn &column = cli::traceColumns()[std::size_t(i)];
    EXPECT_EQ(footer.texts.at(".2[" + std::to_string(i + 1) + "].4"), column.name);
    EXPECT_EQ(footer.texts.at(".4[0].1[" + std::to_string(i) + "].3.3[0]"), column.name);
    std::vector<std::string> values = parquetColumn(file, footer, i);
    ASSERT_EQ(values.size(), 7u) << column.name;
    if (std::string(column.name) == "kind")
      EXPECT_EQ(values, (std::vector<std::string>{"call", "call", "memcpy", "call", "call",
                                                  "kernel", "range"}));
    if (std::string(column.name) == "bytes")
      EXPECT_EQ(values, (std::vector<std::string>{"4096", "4096", "4096", "0", "0", "0", "0"}));
    if (std::string(column.name) == "duration_ns")
      EXPECT_EQ(values, (std::vector<std::string>{"100", "500", "300", "50", "50", "800", "1150"}));
  }
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7 + 1 + 1) << "one text holds a line end";
  EXPECT_NE(csv.find("\"step \"\"1\"\"\n\""), std::string::npos);
}

TEST(TraceFormats, TheNameTellsTheFormat) {
  Folder folder;
  std::string in = folder.write("in.trace", smallTrace().end(3000).bytes);
  Result result = gpuinstr({"trace", in, "-o", folder.file("out.xyz")});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("which format?"), std::string::npos);
  EXPECT_EQ(gpuinstr({"trace", in, "-o", folder.file("out.xyz"), "--format", "nothing"}).code, 2);
  EXPECT_EQ(gpuinstr({"trace", in, "-o", folder.file("out.xyz"), "--format", "csv"}).code, 0);
  Result out = gpuinstr({"trace", in, "-o", "-", "--format", "csv"});
  EXPECT_EQ(out.out, cli::readText(folder.file("out.xyz")));
  EXPECT_EQ(gpuinstr({"trace", in, "-o", "/nowhere/out.json"}).code, 2);
}

TEST(TraceFormats, NothingIsLeftWhereNothingCouldBeWritten) {
  Folder folder;
  std::string in = folder.write("in.trace", smallTrace().end(3000).bytes);
  EXPECT_EQ(gpuinstr({"trace", in, "-o", folder.file("sub/out.sqlite")}).code, 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

} // namespace gpuinstr::test
