// Formats and keeps what kernels print.
// SPDX-License-Identifier: Apache-2.0
#include "exec/kernels/DeviceOutput.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace gpuinstr::sim {

namespace {

constexpr int MaxArguments = 32;

/// Reads packed arguments one after the other.
class ArgumentReader {
public:
  explicit ArgumentReader(const void *at) : At(reinterpret_cast<uintptr_t>(at)) {}
  template <typename T> T next() {
    At = (At + alignof(T) - 1) / alignof(T) * alignof(T);
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(At), sizeof(T));
    At += sizeof(T);
    ++Count;
    return value;
  }
  int count() const { return Count; }

private:
  uintptr_t At;
  int Count = 0;
};

template <typename T> void append(std::string &text, const std::string &spec, T value) {
  char buffer[256];
  int length = std::snprintf(buffer, sizeof(buffer), spec.c_str(), value);
  if (length < 0)
    return;
  if (static_cast<size_t>(length) < sizeof(buffer)) {
    text.append(buffer, static_cast<size_t>(length));
    return;
  }
  std::string whole(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(&whole[0], whole.size(), spec.c_str(), value);
  text.append(whole, 0, static_cast<size_t>(length));
}

/// One conversion. \p spec holds "%" and flags, width and precision; \p size "", "h", "l", "ll", ….
void convert(std::string &text, std::string spec, const std::string &size, char type,
             ArgumentReader &read) {
  bool isLong = size == "l" || size == "ll" || size == "z" || size == "j" || size == "t";
  switch (type) {
  case 'd':
  case 'i':
    if (isLong)
      append(text, spec + "ll" + type, read.next<long long>());
    else
      append(text, spec + size + type, read.next<int>());
    break;
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    if (isLong)
      append(text, spec + "ll" + type, read.next<unsigned long long>());
    else
      append(text, spec + size + type, read.next<unsigned>());
    break;
  case 'c':
    append(text, spec + 'c', read.next<int>());
    break;
  case 's': {
    const char *value = read.next<const char *>();
    append(text, spec + 's', value ? value : "(null)");
    break;
  }
  case 'p':
    append(text, spec + 'p', read.next<void *>());
    break;
  default: // a floating-point type
    append(text, spec + type, read.next<double>());
  }
}

} // namespace

int formatDevice(std::string &text, const char *format, const void *arguments) {
  if (!format)
    return -1;
  ArgumentReader read(arguments);
  while (*format) {
    size_t plain = std::strcspn(format, "%");
    text.append(format, plain);
    format += plain;
    if (!*format)
      break;
    if (format[1] == '%') {
      text += '%';
      format += 2;
      continue;
    }
    size_t flags = 1 + std::strspn(format + 1, "#0- +");
    std::string spec(format, flags);
    const char *at = format + flags;
    for (; *at && std::strchr("0123456789.*", *at); ++at) {
      if (*at == '*' && read.count() < MaxArguments)
        spec += std::to_string(read.next<int>());
      else
        spec += *at;
    }
    std::string size(at, std::strspn(at, "hlLzjt"));
    at += size.size();
    if (!*at || !std::strchr("cdiouxXpeEfFgGaAs", *at) || read.count() >= MaxArguments) {
      text += *format++; // No conversion of the device's: it stands for itself.
      continue;
    }
    convert(text, spec, size == "L" ? "" : size, *at, read);
    format = at + 1;
  }
  return read.count();
}

void DeviceOutput::add(std::vector<OutputPiece> &&pieces, size_t limit) {
  std::lock_guard<std::mutex> l(M);
  for (OutputPiece &piece : pieces) {
    Bytes += piece.text.size();
    Kept.push_back(std::move(piece));
    Any = true;
  }
  while (Bytes > limit && Kept.size() > 1) {
    Bytes -= Kept.front().text.size();
    Kept.pop_front();
  }
}

void DeviceOutput::flush() {
  if (!Any.load(std::memory_order_acquire))
    return;
  std::deque<OutputPiece> out;
  {
    std::lock_guard<std::mutex> l(M);
    out.swap(Kept);
    Bytes = 0;
    Any = false;
  }
  for (const OutputPiece &piece : out)
    std::fwrite(piece.text.data(), 1, piece.text.size(), piece.error ? stderr : stdout);
}

} // namespace gpuinstr::sim
