// Writes docs/Options.md from the tables of the runtime and the plugin.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_OPTIONS_OPTIONSDOC_H
#define GPUINSTR_TEST_OPTIONS_OPTIONSDOC_H

#include "options/Options.h"
#include <string>

namespace gpuinstr::test {

/// A table cell: a bar would end it.
inline std::string cell(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

inline std::string code(const std::string &text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

inline std::string runtimeTable() {
  std::string out = "| option | values | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const options::OptionRow &row : options::optionRows())
    out += "| " + code(row.name) + " | " + code(row.values) + " | " + code(row.initial) + " | " +
           cell(row.help) + " |\n";
  return out;
}

inline std::string pluginTable() {
  std::string out = "| option | meaning |\n| --- | --- |\n";
#define GPUINSTR_PLUGIN_OPTION(name, field, kind, value, help)                                     \
  out += "| " + code(std::string("-fplugin-arg-gpuinstr-") + name + value) + " | " + cell(help) +  \
         " |\n";
#include "../../../plugin/entry/PluginOptions.def"
  return out;
}

inline std::string optionsDocument() {
  std::string out = R"(# Options

This page is generated from `runtime/options/Options.def` and `plugin/entry/PluginOptions.def`.

## At run time

    GPUINSTR_OPTIONS="json=prof.%r.json:fail_on=leak" ./app

`key=value`, separated by `:` or blanks. A value that contains either stands in single quotes:
`GPUINSTR_OPTIONS="json='/data/run 1/a:b.json' verbose"`. A flag alone means 1. An option that is
unknown or has a bad value costs one line on stderr; the program runs on with the value of the layer
below. The API comes before the environment, the environment before options that are built in with
`-fplugin-arg-gpuinstr-defaults=`, and those before the defaults of this table.

)";
  out += runtimeTable();
  out += R"(
### Paths

| in a path | becomes |
| --- | --- |
| `%p` | process id |
| `%h` | host name |
| `%r` | rank, `p<pid>` without a launcher |
| `%q{VAR}` | the environment variable VAR |
| `%%` | `%` |

A path is relative to the folder in which the program started. Parent folders are made. A name that
is taken gets `.PID` (then `.PID.1`, `.PID.2`, ...), so no process overwrites another's file; the same
process replaces its own file in one step. A forked child leaves a name without `%p` to its parent
while that lives, and takes `.PID`. `-` is stdout; a trace wants a file.

The rank is the first number among `OMPI_COMM_WORLD_RANK`, `PMIX_RANK`, `PMI_RANK`,
`MV2_COMM_WORLD_RANK`, `FLUX_TASK_RANK`, `PALS_RANKID`, `RANK` and `SLURM_PROCID`. Only rank 0 prints
to stderr; every rank writes its files.

## When compiling

)";
  out += pluginTable();
  return out;
}

} // namespace gpuinstr::test

#endif
