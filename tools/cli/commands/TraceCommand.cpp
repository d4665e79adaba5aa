// gpuinstr trace: event traces in the formats of other tools.
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "TraceTimeline.h"
#include <CLI/CLI.hpp>
#include <iostream>

namespace gpuinstr::cli {

namespace {

struct Format {
  const char *name;
  std::vector<std::string> endings;
  void (*write)(Timeline &, const std::string &);
};

const std::vector<Format> &formats() {
  static const std::vector<Format> all = {
      {"perfetto", {".perfetto-trace", ".pftrace", ".perfetto"}, writePerfetto},
      {"chrome", {".json"}, writeChrome},
      {"sqlite", {".sqlite", ".sqlite3", ".db"}, writeSqlite},
      {"csv", {".csv"}, writeTraceCsv},
      {"parquet", {".parquet"}, writeParquet},
  };
  return all;
}

bool endsWith(const std::string &text, const std::string &ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

const Format &formatOf(const std::string &name, const std::string &path) {
  for (const Format &format : formats()) {
    if (!name.empty() && name == format.name)
      return format;
    for (const std::string &ending : format.endings)
      if (name.empty() && endsWith(path, ending))
        return format;
  }
  throw Failure(name.empty() ? path + ": which format? End its name with .perfetto-trace, .json, "
                                      ".sqlite, .csv or .parquet, or name one with --format"
                             : "no format is called '" + name + "'");
}

} // namespace

void addTrace(CLI::App &app, int &code) {
  struct Options {
    std::vector<std::string> files;
    std::string out, format;
  };
  auto options = std::make_shared<Options>();
  CLI::App *trace = app.add_subcommand(
      "trace",
      "A timeline for Perfetto, chrome://tracing, SQL: from the files of option trace=PATH");
  trace->add_option("files", options->files, "Traces, or folders of *.trace; several become one")
      ->required();
  trace
      ->add_option(
          "-o,--output", options->out,
          "x.perfetto-trace, x.json (Chrome), x.sqlite (Nsight's tables), x.csv, x.parquet")
      ->required()
      ->type_name("FILE");
  trace->add_option("--format", options->format, "perfetto, chrome, sqlite, csv or parquet")
      ->type_name("NAME");
  trace->callback([options, &code] {
    const Format &format = formatOf(options->format, options->out);
    Timeline timeline(openTraces(options->files));
    format.write(timeline, options->out);
    for (const std::string &line : timeline.remarks())
      std::cerr << "gpuinstr: " << line << "\n";
    std::size_t processes = timeline.processes().size();
    std::cerr << "gpuinstr: " << timeline.records() << " events of " << processes
              << (processes == 1 ? " process in " : " processes in ") << options->out << "\n";
    code = 0;
  });
}

} // namespace gpuinstr::cli
