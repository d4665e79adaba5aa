// Runtime options: GPUINSTR_OPTIONS, options built into the program, and the API.
// SPDX-License-Identifier: Apache-2.0
//
// One table (Options.def) makes the struct, the parser, help=1 and docs/Options.md. Layers: API >
// environment > built-in (defaults=) > table. A bad value is one problem line, and the layer below
// stands.
#ifndef GPUINSTR_OPTIONS_OPTIONS_H
#define GPUINSTR_OPTIONS_OPTIONS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gpuinstr::options {

enum class ColorMode { Auto, Always, Never };
enum class GpuTimeMode { Sampled, Exact, Off };
/// Default: sampled, but off while another tool is attached.
enum class AuditMode { Off, Sampled, Full };
enum class SwitchMode { Off, On };

// C++ types behind the type column of Options.def.
using Flag = bool;                      ///< 0 or 1; the bare name means 1
using Number = unsigned;                ///< decimal, within the range that Options.def names
using Text = std::string;               ///< any text
using Path = std::string;               ///< a path pattern, see PathPattern.h; "" none
using Sink = std::string;               ///< stderr, off or a path pattern
using Names = std::vector<std::string>; ///< comma-separated finding ids or classes
using Color = ColorMode;
using GpuTime = GpuTimeMode;
using Capture = std::string; ///< always, cudaProfilerApi or nvtx@NAME
using Audit = AuditMode;
using Switch = SwitchMode;
using Bytes = uint64_t; ///< decimal with K, M, G, T (powers of 1024)

struct Options {
#define OPTION(type, name, initial, help) type name = initial;
#define OPTION_NUMBER(name, initial, least, most, help) Number name = initial;
#include "options/Options.def"
};

enum class Layer { Table, BuiltIn, Environment, Api };

/// Layered values and the problems met. Plain data: not shared between threads.
class OptionSet {
public:
  /// Applies "key=value:key=value". `source` names the text in problem lines ("GPUINSTR_OPTIONS").
  /// Returns whether a value changed.
  bool apply(std::string_view text, Layer layer, std::string_view source);

  const Options &values() const { return Values; }
  /// One line each, without "gpuinstr: " and newline, safe to print.
  const std::vector<std::string> &problems() const { return Problems; }

private:
  bool set(std::string_view key, std::string_view value, bool hasValue, Layer layer,
           std::string_view source);
  void problem(std::string_view source, std::string text);

  Options Values;
  std::vector<Layer> Origins; ///< by row of Options.def
  std::vector<std::string> Problems;
  std::unordered_set<std::string> Told; ///< those of Problems
};

/// The process's options. The first call reads GPUINSTR_OPTIONS (not in setuid programs). Safe from
/// any thread; the reference lives for good, but a later layer shows only in a later call.
const Options &options();

/// gpuinstr_module::defaults of a module that registers; NULL and "" are fine.
void addBuiltInDefaults(const char *text);

/// The API's layer.
void setFromApi(std::string_view text);

/// Problems that were not handed out before, so that each is printed once. Without "gpuinstr: ".
std::vector<std::string> optionProblems();

/// What help=1 prints: the table, with a newline at the end.
std::string helpText();

/// One row of Options.def as text, for help and docs.
struct OptionRow {
  std::string name, values, initial, help;
};
std::vector<OptionRow> optionRows();

} // namespace gpuinstr::options

#endif
