// Thrift's compact protocol, in which Parquet's headers and footer are written.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TRACE_THRIFT_H
#define GPUINSTR_CLI_TRACE_THRIFT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

/// Thrift's compact protocol, as far as Parquet needs it.
class Thrift {
public:
  enum Type { I32 = 5, I64 = 6, Binary = 8, List = 9, Struct = 12 };

  void begin() { Last.push_back(0); } ///< of a struct
  void end() {
    Out += '\0';
    Last.pop_back();
  }
  void i32(int id, int32_t value) {
    field(id, I32);
    zigzag(value);
  }
  void i64(int id, int64_t value) {
    field(id, I64);
    zigzag(value);
  }
  void string(int id, std::string_view text) {
    field(id, Binary);
    rawString(text);
  }
  void list(int id, Type element, std::size_t count) {
    field(id, List);
    if (count < 15) {
      Out += char(count << 4 | element);
    } else {
      Out += char(0xf0 | element);
      varint(count);
    }
  }
  void structField(int id) {
    field(id, Struct);
    begin();
  }
  void rawString(std::string_view text) {
    varint(text.size());
    Out += text;
  }
  void zigzag(int64_t value) { varint(uint64_t(value) << 1 ^ uint64_t(value >> 63)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      Out += char(0x80 | (value & 0x7f));
    Out += char(value);
  }
  const std::string &bytes() const { return Out; }

private:
  void field(int id, Type type) {
    int delta = id - Last.back();
    if (delta > 0 && delta < 16) {
      Out += char(delta << 4 | type);
    } else {
      Out += char(type);
      zigzag(id);
    }
    Last.back() = id;
  }
  std::string Out;
  std::vector<int> Last; ///< field number in each open struct
};

} // namespace gpuinstr::cli

#endif
