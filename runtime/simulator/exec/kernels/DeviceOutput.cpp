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
  explicit ArgumentReader(const void *At) : At(reinterpret_cast<uintptr_t>(At)) {}
  template <typename T> T next() {
    At = (At + alignof(T) - 1) / alignof(T) * alignof(T);
    T Value;
    std::memcpy(&Value, reinterpret_cast<const void *>(At), sizeof(T));
    At += sizeof(T);
    ++Count;
    return Value;
  }
  int count() const { return Count; }

private:
  uintptr_t At;
  int Count = 0;
};

template <typename T> void append(std::string &Text, const std::string &Spec, T Value) {
  char Buffer[256];
  int Length = std::snprintf(Buffer, sizeof(Buffer), Spec.c_str(), Value);
  if (Length < 0)
    return;
  if (static_cast<size_t>(Length) < sizeof(Buffer)) {
    Text.append(Buffer, static_cast<size_t>(Length));
    return;
  }
  std::string Long(static_cast<size_t>(Length) + 1, '\0');
  std::snprintf(&Long[0], Long.size(), Spec.c_str(), Value);
  Text.append(Long, 0, static_cast<size_t>(Length));
}

/// One conversion. \p Spec holds "%" and flags, width and precision; \p Size "", "h", "l", "ll", ….
void convert(std::string &Text, std::string Spec, const std::string &Size, char Type,
             ArgumentReader &Read) {
  bool Long = Size == "l" || Size == "ll" || Size == "z" || Size == "j" || Size == "t";
  switch (Type) {
  case 'd':
  case 'i':
    if (Long)
      append(Text, Spec + "ll" + Type, Read.next<long long>());
    else
      append(Text, Spec + Size + Type, Read.next<int>());
    break;
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    if (Long)
      append(Text, Spec + "ll" + Type, Read.next<unsigned long long>());
    else
      append(Text, Spec + Size + Type, Read.next<unsigned>());
    break;
  case 'c':
    append(Text, Spec + 'c', Read.next<int>());
    break;
  case 's': {
    const char *Value = Read.next<const char *>();
    append(Text, Spec + 's', Value ? Value : "(null)");
    break;
  }
  case 'p':
    append(Text, Spec + 'p', Read.next<void *>());
    break;
  default: // a floating-point type
    append(Text, Spec + Type, Read.next<double>());
  }
}

} // namespace

int formatDevice(std::string &Text, const char *Format, const void *Arguments) {
  if (!Format)
    return -1;
  ArgumentReader Read(Arguments);
  while (*Format) {
    size_t Plain = std::strcspn(Format, "%");
    Text.append(Format, Plain);
    Format += Plain;
    if (!*Format)
      break;
    if (Format[1] == '%') {
      Text += '%';
      Format += 2;
      continue;
    }
    size_t Flags = 1 + std::strspn(Format + 1, "#0- +");
    std::string Spec(Format, Flags);
    const char *At = Format + Flags;
    for (; *At && std::strchr("0123456789.*", *At); ++At) {
      if (*At == '*' && Read.count() < MaxArguments)
        Spec += std::to_string(Read.next<int>());
      else
        Spec += *At;
    }
    std::string Size(At, std::strspn(At, "hlLzjt"));
    At += Size.size();
    if (!*At || !std::strchr("cdiouxXpeEfFgGaAs", *At) || Read.count() >= MaxArguments) {
      Text += *Format++; // No conversion of the device's: it stands for itself.
      continue;
    }
    convert(Text, Spec, Size == "L" ? "" : Size, *At, Read);
    Format = At + 1;
  }
  return Read.count();
}

void DeviceOutput::add(std::vector<OutputPiece> &&Pieces, size_t Limit) {
  std::lock_guard<std::mutex> L(M);
  for (OutputPiece &Piece : Pieces) {
    Bytes += Piece.Text.size();
    Kept.push_back(std::move(Piece));
    Any = true;
  }
  while (Bytes > Limit && Kept.size() > 1) {
    Bytes -= Kept.front().Text.size();
    Kept.pop_front();
  }
}

void DeviceOutput::flush() {
  if (!Any.load(std::memory_order_acquire))
    return;
  std::deque<OutputPiece> Out;
  {
    std::lock_guard<std::mutex> L(M);
    Out.swap(Kept);
    Bytes = 0;
    Any = false;
  }
  for (const OutputPiece &Piece : Out)
    std::fwrite(Piece.Text.data(), 1, Piece.Text.size(), Piece.Error ? stderr : stdout);
}

} // namespace gpuinstr::sim
