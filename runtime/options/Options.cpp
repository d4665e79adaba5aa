// Parses the layers of options by the table.
// SPDX-License-Identifier: Apache-2.0
#include "options/Options.h"
#include "base/text/Printable.h"
#include "options/FailOn.h"
#include "profile/kinds/FindingKind.h"
#include <algorithm>
#include <cstdint>

namespace gpuinstr::options {

namespace {

/// The type column of Options.def: several rows share a C++ type.
enum class Type {
  Flag,
  Number,
  Text,
  Path,
  Sink,
  Names,
  Color,
  Audit,
  Bytes,
  GpuTime,
  Capture,
  Switch
};

struct Range {
  unsigned least = 0, most = 0;
};

// Each parser returns "" or what was expected; `out` changes only on success.

std::string parse(Type, Range, std::string_view value, bool &out) {
  if (value != "0" && value != "1")
    return "expected 0 or 1";
  out = value == "1";
  return "";
}

std::string parse(Type, Range range, std::string_view value, unsigned &out) {
  uint64_t number = 0;
  bool good = !value.empty() && value.size() <= 10 &&
              value.find_first_not_of("0123456789") == std::string_view::npos;
  if (good)
    for (char digit : value)
      number = number * 10 + static_cast<unsigned>(digit - '0');
  if (!good || number < range.least || number > range.most)
    return "expected a number from " + std::to_string(range.least) + " to " +
           std::to_string(range.most);
  out = static_cast<unsigned>(number);
  return "";
}

std::string parse(Type type, Range, std::string_view value, std::string &out) {
  if (type == Type::Sink && value.empty())
    return "expected stderr, off or a path";
  constexpr std::string_view Range = "nvtx@";
  if (type == Type::Capture && value != "always" && value != "cudaProfilerApi" &&
      (value.substr(0, Range.size()) != Range || value.size() == Range.size()))
    return "expected always, cudaProfilerApi or nvtx@NAME";
  out = std::string(value);
  return "";
}

std::string parse(Type, Range, std::string_view value, ColorMode &out) {
  if (value == "auto")
    out = ColorMode::Auto;
  else if (value == "always")
    out = ColorMode::Always;
  else if (value == "never")
    out = ColorMode::Never;
  else
    return "expected auto, always or never";
  return "";
}

std::string parse(Type, Range, std::string_view value, GpuTimeMode &out) {
  if (value == "sampled")
    out = GpuTimeMode::Sampled;
  else if (value == "exact")
    out = GpuTimeMode::Exact;
  else if (value == "off")
    out = GpuTimeMode::Off;
  else
    return "expected sampled, exact or off";
  return "";
}

std::string parse(Type, Range, std::string_view value, AuditMode &out) {
  if (value == "off")
    out = AuditMode::Off;
  else if (value == "sampled")
    out = AuditMode::Sampled;
  else if (value == "full")
    out = AuditMode::Full;
  else
    return "expected off, sampled or full";
  return "";
}

std::string parse(Type, Range, std::string_view value, SwitchMode &out) {
  if (value != "on" && value != "off")
    return "expected off or on";
  out = value == "on" ? SwitchMode::On : SwitchMode::Off;
  return "";
}

constexpr std::string_view ByteUnits = "KMGT";

std::string parse(Type, Range, std::string_view value, uint64_t &out) {
  std::string_view digits = value;
  unsigned shift = 0;
  if (!digits.empty())
    if (std::size_t unit = ByteUnits.find(digits.back()); unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      digits.remove_suffix(1);
    }
  uint64_t number = 0;
  bool good = !digits.empty() && digits.size() <= 12 &&
              digits.find_first_not_of("0123456789") == std::string_view::npos;
  for (char digit : good ? digits : std::string_view())
    number = number * 10 + static_cast<unsigned>(digit - '0');
  if (!good || number > (UINT64_MAX >> shift))
    return "expected bytes, such as 64M";
  out = number << shift;
  return "";
}

std::string checkFailOn(std::string_view name) {
  if (name == "bugs" || name == "waste" || name == "proven")
    return "";
  std::string quoted = "'" + printable(name, 60) + "'";
  name = failOnId(name);
  profile::FindingClass cls = profile::findingKind(profile::fromText<profile::Pattern>(name)).cls;
  if (cls == profile::FindingClass::Unknown)
    return quoted + " is no finding; expected finding ids, bugs, waste or proven";
  if (cls == profile::FindingClass::Information)
    return quoted + " is information and never fails a run";
  return "";
}

std::string parse(Type, Range, std::string_view value, std::vector<std::string> &out) {
  std::vector<std::string> names;
  while (!value.empty()) {
    std::string_view name = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), name.size() + 1));
    if (name.empty())
      continue;
    if (std::string wrong = checkFailOn(name); !wrong.empty())
      return wrong;
    names.emplace_back(name);
  }
  out = std::move(names);
  return "";
}

std::string show(bool value) { return value ? "1" : "0"; }
std::string show(unsigned value) { return std::to_string(value); }
std::string show(const std::string &value) { return value; }
std::string show(ColorMode value) {
  return value == ColorMode::Auto ? "auto" : value == ColorMode::Always ? "always" : "never";
}
std::string show(GpuTimeMode value) {
  return value == GpuTimeMode::Off ? "off" : value == GpuTimeMode::Exact ? "exact" : "sampled";
}
std::string show(AuditMode value) {
  return value == AuditMode::Off ? "off" : value == AuditMode::Full ? "full" : "sampled";
}
std::string show(SwitchMode value) { return value == SwitchMode::On ? "on" : "off"; }
std::string show(uint64_t value) {
  std::size_t unit = 0;
  for (; value && value % 1024 == 0 && unit < ByteUnits.size(); ++unit)
    value /= 1024;
  return std::to_string(value) + (unit ? std::string(1, ByteUnits[unit - 1]) : "");
}
std::string show(const std::vector<std::string> &value) {
  std::string text;
  for (const std::string &name : value)
    text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string valuesOf(Type type, Range range) {
  switch (type) {
  case Type::Flag:
    return "0|1";
  case Type::Number:
    return std::to_string(range.least) + ".." + std::to_string(range.most);
  case Type::Text:
    return "TEXT";
  case Type::Path:
    return "PATH";
  case Type::Sink:
    return "stderr|off|PATH";
  case Type::Names:
    return "NAME,...";
  case Type::Color:
    return "auto|always|never";
  case Type::GpuTime:
    return "sampled|exact|off";
  case Type::Audit:
    return "off|sampled|full";
  case Type::Bytes:
    return "BYTES";
  case Type::Switch:
    return "off|on";
  case Type::Capture:
    return "always|cudaProfilerApi|nvtx@NAME";
  }
  return "";
}

bool isSeparator(char c) { return c == ':' || c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// One `key=value`, quotes taken off.
struct Item {
  std::string key, value;
  bool hasValue = false, closed = true, quoted = false;
};

/// Takes the next item from the front of `text`, which starts with no separator.
Item nextItem(std::string_view &text) {
  Item item;
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || !isSeparator(text[i])); ++i) {
    if (text[i] == '\'')
      quoted = !quoted, item.quoted = true;
    else if (text[i] == '=' && !item.hasValue && !quoted)
      item.hasValue = true;
    else
      (item.hasValue ? item.value : item.key) += text[i];
  }
  item.closed = !quoted;
  text.remove_prefix(i);
  return item;
}

/// Whether another option begins behind a comma: "json=a.json,verbose=1".
bool separatedByComma(const Item &item) {
  if (item.quoted)
    return false;
  for (std::size_t comma = item.value.find(','); comma != std::string::npos;
       comma = item.value.find(',', comma + 1)) {
    std::string_view rest = std::string_view(item.value).substr(comma + 1);
    std::string_view key = rest.substr(0, rest.find('='));
    if (key.size() == rest.size())
      continue;
#define OPTION(type, name, initial, help)                                                          \
  if (key == #name)                                                                                \
    return true;
#define OPTION_NUMBER(name, initial, least, most, help)                                            \
  if (key == #name)                                                                                \
    return true;
#include "options/Options.def"
  }
  return false;
}

} // namespace

void OptionSet::problem(std::string_view source, std::string text) {
  text.insert(0, std::string(source) + ": ");
  // A module that is loaded again and again repeats its line: once is enough.
  if (Told.insert(text).second)
    Problems.push_back(std::move(text));
}

bool OptionSet::apply(std::string_view text, Layer layer, std::string_view source) {
  bool changed = false;
  while (true) {
    while (!text.empty() && isSeparator(text.front()))
      text.remove_prefix(1);
    if (text.empty())
      return changed;
    Item item = nextItem(text);
    if (!item.closed)
      problem(source, "a single quote is not closed after '" +
                          printable(item.key + "=" + item.value, 60) + "'; ignored");
    else if (separatedByComma(item))
      problem(source, "'" + printable(item.key + "=" + item.value, 60) +
                          "': options are separated by ':', not by ','; ignored");
    else
      changed |= set(item.key, item.value, item.hasValue, layer, source);
  }
}

bool OptionSet::set(std::string_view key, std::string_view value, bool hasValue, Layer layer,
                    std::string_view source) {
  unsigned row = 0;
  std::string name = printable(key, 60);
  // Parses into a copy first: a bad value must not count, and a weaker layer must still be checked.
  auto assign = [&](Type type, Range range, auto &field) {
    if (!hasValue && type != Type::Flag) {
      problem(source, name + " needs a value, " + name + "=" + valuesOf(type, range));
      return false;
    }
    auto parsed = field;
    std::string wrong = parse(type, range, hasValue ? value : "1", parsed);
    if (!wrong.empty()) {
      problem(
          source, name + "=" + printable(value, 60) + ": " + wrong + "; using " + [&] {
            std::string current = printable(show(field), 60);
            return current.empty() ? std::string("none") : current;
          }());
      return false;
    }
    if (Origins.size() <= row)
      Origins.resize(row + 1, Layer::Table);
    if (layer < Origins[row])
      return false;
    Origins[row] = layer;
    bool changed = parsed != field;
    field = std::move(parsed);
    return changed;
  };
#define OPTION(type, name, initial, help)                                                          \
  if (key == #name)                                                                                \
    return assign(Type::type, Range{}, Values.name);                                               \
  ++row;
#define OPTION_NUMBER(name, initial, least, most, help)                                            \
  if (key == #name)                                                                                \
    return assign(Type::Number, Range{least, most}, Values.name);                                  \
  ++row;
#include "options/Options.def"
  problem(source, "unknown option '" + name + "'" +
                      (hasValue ? "" : " (a value with ':' or a blank needs single quotes)") +
                      "; help=1 lists all");
  return false;
}

std::vector<OptionRow> optionRows() {
  Options table;
  std::vector<OptionRow> rows;
#define OPTION(type, name, initial, help)                                                          \
  rows.push_back({#name, valuesOf(Type::type, Range{}), show(table.name), help});
#define OPTION_NUMBER(name, initial, least, most, help)                                            \
  rows.push_back({#name, valuesOf(Type::Number, Range{least, most}), show(table.name), help});
#include "options/Options.def"
  return rows;
}

/// Appends `text` to `out`, wrapped at column 100 and indented by `indent`.
static void wrap(std::string &out, std::string_view text, std::size_t indent) {
  std::size_t column = indent;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > 100) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  out += '\n';
}

std::string helpText() {
  std::string out =
      "gpuinstr: GPUINSTR_OPTIONS=\"key=value:key=value\", separated by ':' or blanks; "
      "a value\nwith either goes into single quotes. Options:\n";
  for (const OptionRow &row : optionRows()) {
    std::string left = "  " + row.name + "=" + row.values;
    constexpr std::size_t Indent = 28;
    left += left.size() + 1 < Indent ? std::string(Indent - left.size(), ' ')
                                     : "\n" + std::string(Indent, ' ');
    out += left;
    wrap(out, row.help + (row.initial.empty() ? "" : " [" + row.initial + "]"), Indent);
  }
  wrap(out,
       "Paths know %p pid, %h host, %r rank (p<pid> without a launcher), %q{VAR} and %%; a name "
       "that is taken gets .PID.",
       0);
  return out;
}

} // namespace gpuinstr::options
