// gpuinstr trace: event traces in the formats of other tools.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "io/Failure.h"
#include "trace/TraceTimeline.h"
#include "trace/Writers.h"
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

class TraceCommand : public Command {
  std::vector<std::string> Files;
  std::string Out, FormatName;

  void declare(OptionList &list) override {
    list.words("FILE", Files, "Traces, or folders of *.trace; several become one").required();
    list.value("-o,--output", Out, "FILE",
               "x.perfetto-trace, x.json (Chrome), x.sqlite (Nsight's tables), x.csv, x.parquet")
        .required();
    list.value("--format", FormatName, "NAME", "perfetto, chrome, sqlite, csv or parquet");
  }

  int run(const Invocation &) override {
    const Format &format = formatOf(FormatName, Out);
    Timeline timeline(openTraces(Files));
    format.write(timeline, Out);
    for (const std::string &line : timeline.remarks())
      std::cerr << "gpuinstr: " << line << "\n";
    std::size_t processes = timeline.processes().size();
    std::cerr << "gpuinstr: " << timeline.records() << " events of " << processes
              << (processes == 1 ? " process in " : " processes in ") << Out << "\n";
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeTrace() { return std::make_unique<TraceCommand>(); }

} // namespace gpuinstr::cli
