// Values of a closed list that the profile knows by a text.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_KINDS_NAMED_H
#define GPUINSTR_PROFILE_KINDS_NAMED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuinstr::profile {

/// The texts of an enum, by value, without that of E::Unknown, its last.
template <class E> struct Texts;

// LIST(X) calls X(Value, "text") once for each value.
#define GPUINSTR_ENUMERATOR(value, ...) value,
#define GPUINSTR_TEXT(value, text, ...) text,
#define GPUINSTR_NAMED_ENUM(Name, LIST)                                                            \
  enum class Name : uint8_t { LIST(GPUINSTR_ENUMERATOR) Unknown };                                 \
  template <> struct Texts<Name> {                                                                 \
    static constexpr std::string_view List[] = {LIST(GPUINSTR_TEXT)};                              \
  };

/// "" for Unknown.
template <class E> constexpr std::string_view textOf(E value) {
  return value < E::Unknown ? Texts<E>::List[unsigned(value)] : std::string_view();
}

/// Unknown for "" and for what the list lacks.
template <class E> E fromText(std::string_view text) {
  for (unsigned i = 0; i < unsigned(E::Unknown); ++i)
    if (Texts<E>::List[i] == text)
      return E(i);
  return E::Unknown;
}

/// A field of the profile: compared by value, written as text. Unknown keeps the text that it was
/// read from, so that what a newer version wrote passes through; "" says nothing.
template <class E> class Named {
public:
  Named(E value = E::Unknown) : Value(value) {}
  static Named fromText(std::string_view text) {
    Named read(profile::fromText<E>(text));
    if (read.Value == E::Unknown)
      read.Other = text;
    return read;
  }

  E value() const { return Value; }
  std::string text() const { return Value == E::Unknown ? Other : std::string(textOf(Value)); }
  bool empty() const { return Value == E::Unknown && Other.empty(); }

  friend bool operator==(const Named &a, const Named &b) {
    return a.Value == b.Value && a.Other == b.Other;
  }
  friend bool operator!=(const Named &a, const Named &b) { return !(a == b); }
  friend bool operator==(const Named &a, E b) { return a.Value == b; }
  friend bool operator!=(const Named &a, E b) { return a.Value != b; }

private:
  E Value;
  std::string Other;
};

} // namespace gpuinstr::profile

#endif
