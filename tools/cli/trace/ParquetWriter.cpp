// Traces as Parquet: plain pages without compression, columns of few values as dictionaries.
// SPDX-License-Identifier: Apache-2.0
//
// The format: https://parquet.apache.org/docs/file-format. All columns are REQUIRED, so that pages
// hold values alone. Headers and the footer are Thrift's compact protocol.
#include "io/OutFile.h"
#include "trace/Columns.h"
#include "trace/Thrift.h"
#include "trace/Writers.h"
#include <cstring>
#include <unordered_map>

namespace gpuinstr::cli {

namespace {

// From parquet.thrift.
enum PhysicalType { Int64 = 2, Double = 5, ByteArray = 6 };
enum Encoding { Plain = 0, RunLength = 3, RleDictionary = 8 };
enum PageType { DataPage = 0, DictionaryPage = 2 };
constexpr int Utf8 = 0, Uncompressed = 0, Required = 0;

constexpr std::size_t RowsInAGroup = 131072;
constexpr std::size_t MostInADictionary = 16384;

void append(std::string &to, const void *bytes, std::size_t size) {
  to.append(static_cast<const char *>(bytes), size);
}

/// The values of one column in a row group.
class Column {
public:
  explicit Column(const TraceColumn &source) : Source(source) {}

  void add(const Slice &slice, const Timeline &timeline) {
    std::string value; // as PLAIN stores it
    if (Source.integer) {
      int64_t number = Source.integer(slice, timeline);
      append(value, &number, 8);
    } else if (Source.real) {
      double number = Source.real(slice, timeline);
      append(value, &number, 8);
    } else {
      std::string text = Source.text(slice, timeline);
      auto size = uint32_t(text.size());
      append(value, &size, 4);
      value += text;
    }
    if (isDictionary()) {
      auto [it, fresh] = Numbers.emplace(value, uint32_t(Numbers.size()));
      if (fresh)
        Values += value;
      Indices.push_back(it->second);
      if (Numbers.size() > MostInADictionary)
        giveUp();
    } else {
      Values += value;
    }
    ++Count;
  }

  PhysicalType type() const { return Source.integer ? Int64 : Source.real ? Double : ByteArray; }
  const char *name() const { return Source.name; }
  bool isDictionary() const { return !GaveUp; }
  std::size_t count() const { return Count; }
  std::size_t distinct() const { return Numbers.size(); }
  /// The dictionary's values, or all values.
  const std::string &values() const { return Values; }

  /// Indices as one bit-packed run.
  std::string packed() const {
    unsigned width = 1;
    while (width < 32 && (distinct() - 1) >> width)
      ++width;
    std::string out(1, char(width));
    std::size_t groups = (Indices.size() + 7) / 8;
    Thrift run;
    run.varint(groups << 1 | 1);
    out += run.bytes();
    uint64_t bits = 0;
    unsigned have = 0;
    for (std::size_t i = 0; i < groups * 8; ++i) {
      bits |= uint64_t(i < Indices.size() ? Indices[i] : 0) << have;
      for (have += width; have >= 8; have -= 8, bits >>= 8)
        out += char(bits);
    }
    return out;
  }

  void clear() {
    Numbers.clear();
    Values.clear();
    Indices.clear();
    Count = 0;
    GaveUp = false;
  }

private:
  /// Too many different values: from now on they are stored one after the other.
  void giveUp() {
    std::vector<const std::string *> byNumber(Numbers.size());
    for (const auto &[value, number] : Numbers)
      byNumber[number] = &value;
    std::string all;
    for (uint32_t index : Indices)
      all += *byNumber[index];
    Values = std::move(all);
    Numbers.clear();
    Indices.clear();
    GaveUp = true;
  }

  const TraceColumn &Source;
  std::unordered_map<std::string, uint32_t> Numbers;
  std::string Values;
  std::vector<uint32_t> Indices;
  std::size_t Count = 0;
  bool GaveUp = false;
};

struct ChunkPlace {
  int64_t dictionary = 0, data = 0, bytes = 0; ///< dictionary 0: none
  int64_t values = 0;
};

class ParquetWriter : public Timeline::Sink {
public:
  ParquetWriter(const Timeline &timeline, OutFile &out) : All(timeline), Out(out) {
    for (const TraceColumn &column : traceColumns())
      Columns.emplace_back(column);
    write("PAR1");
  }

  void slice(const Slice &s) override {
    for (Column &column : Columns)
      column.add(s, All);
    if (Columns[0].count() == RowsInAGroup)
      endGroup();
  }

  void finish() {
    endGroup();
    std::string footer = metadata();
    write(footer);
    auto size = uint32_t(footer.size());
    std::string tail;
    append(tail, &size, 4);
    write(tail + "PAR1");
  }

private:
  const Timeline &All;
  OutFile &Out;
  std::vector<Column> Columns;
  std::vector<std::vector<ChunkPlace>> Groups;
  int64_t At = 0, Rows = 0;

  void write(std::string_view bytes) {
    Out.write(bytes);
    At += int64_t(bytes.size());
  }

  void page(PageType type, std::size_t values, Encoding encoding, std::string_view bytes) {
    Thrift header;
    header.begin();
    header.i32(1, type);
    header.i32(2, int32_t(bytes.size()));
    header.i32(3, int32_t(bytes.size()));
    header.structField(type == DataPage ? 5 : 7);
    header.i32(1, int32_t(values));
    header.i32(2, encoding);
    if (type == DataPage) {
      header.i32(3, RunLength);
      header.i32(4, RunLength);
    }
    header.end();
    header.end();
    write(header.bytes());
    write(bytes);
  }

  void endGroup() {
    if (Columns[0].count() == 0)
      return;
    std::vector<ChunkPlace> places;
    for (Column &column : Columns) {
      ChunkPlace place;
      int64_t begin = At;
      place.values = int64_t(column.count());
      if (column.isDictionary()) {
        place.dictionary = At;
        page(DictionaryPage, column.distinct(), Plain, column.values());
      }
      place.data = At;
      if (column.isDictionary())
        page(DataPage, column.count(), RleDictionary, column.packed());
      else
        page(DataPage, column.count(), Plain, column.values());
      place.bytes = At - begin;
      places.push_back(place);
    }
    Rows += places[0].values;
    Groups.push_back(std::move(places));
    for (Column &column : Columns)
      column.clear();
  }

  std::string metadata() const {
    Thrift t;
    t.begin();
    t.i32(1, 1);
    t.list(2, Thrift::Struct, Columns.size() + 1);
    t.begin();
    t.string(4, "schema");
    t.i32(5, int32_t(Columns.size()));
    t.end();
    for (const Column &column : Columns) {
      t.begin();
      t.i32(1, column.type());
      t.i32(3, Required);
      t.string(4, column.name());
      if (column.type() == ByteArray)
        t.i32(6, Utf8);
      t.end();
    }
    t.i64(3, Rows);
    t.list(4, Thrift::Struct, Groups.size());
    for (const std::vector<ChunkPlace> &group : Groups)
      describe(t, group);
    t.string(6, "gpuinstr version " GPUINSTR_VERSION);
    t.end();
    return t.bytes();
  }

  void describe(Thrift &t, const std::vector<ChunkPlace> &group) const {
    int64_t bytes = 0;
    t.begin();
    t.list(1, Thrift::Struct, group.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      const ChunkPlace &place = group[i];
      bytes += place.bytes;
      t.begin();
      t.i64(2, place.dictionary ? place.dictionary : place.data);
      t.structField(3);
      t.i32(1, Columns[i].type());
      t.list(2, Thrift::I32, place.dictionary ? 2 : 1);
      t.zigzag(Plain);
      if (place.dictionary)
        t.zigzag(RleDictionary);
      t.list(3, Thrift::Binary, 1);
      t.rawString(Columns[i].name());
      t.i32(4, Uncompressed);
      t.i64(5, place.values);
      t.i64(6, place.bytes);
      t.i64(7, place.bytes);
      t.i64(9, place.data);
      if (place.dictionary)
        t.i64(11, place.dictionary);
      t.end();
      t.end();
    }
    t.i64(2, bytes);
    t.i64(3, group[0].values);
    t.end();
  }
};

} // namespace

void writeParquet(Timeline &timeline, const std::string &path) {
  OutFile out(path);
  ParquetWriter writer(timeline, out);
  timeline.run(writer, "writing");
  writer.finish();
  out.commit();
}

} // namespace gpuinstr::cli
