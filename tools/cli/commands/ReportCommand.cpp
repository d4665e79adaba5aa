// gpuinstr report: profiles as text, JSON or CSV.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "export/Csv.h"
#include "io/Files.h"
#include "io/Profiles.h"
#include "io/Spools.h"
#include "merge/RankReport.h"
#include "profile/Json.h"
#include "report/TextReport.h"

namespace gpuinstr::cli {

namespace {

class ReportCommand : public Command {
  std::vector<std::string> Files;
  unsigned Top = 0;
  int Sort = int(report::SortBy::Time);
  std::string Table = "api", Out;
  bool Json = false, Csv = false, Verbose = false;

  void declare(OptionList &list) override {
    list.words("files", Files,
               "Profiles, or folders of them; none: the last state of the process that died last "
               "(option spool)");
    list.value("--top", Top, "N", "Rows of each table (default: what fits 40 lines)");
    list.choice("--sort", Sort,
                {{"time", int(report::SortBy::Time)},
                 {"calls", int(report::SortBy::Calls)},
                 {"avg", int(report::SortBy::Average)},
                 {"bytes", int(report::SortBy::Bytes)},
                 {"name", int(report::SortBy::Name)}},
                "KEY", "Order of the calls: time, calls, avg, bytes, name");
    list.flag("-v,--verbose", Verbose, "Everything, without the limit of 40 lines");
    Option json = list.flag("--json", Json, "JSON; several become an array");
    Option csv = list.flag("--csv", Csv, "CSV with nsys's column names");
    csv.excludes(json);
    std::vector<std::string> tables;
    std::string names;
    for (const CsvTable &table : csvTables()) {
      names += (names.empty() ? "" : ", ") + std::string(table.name);
      tables.push_back(table.name);
      if (*table.nsys)
        tables.push_back(table.nsys);
    }
    list.value("--table", Table, "TABLE", "Of --csv: " + names + ", or nsys's name of one")
        .oneOf(tables)
        .needs(csv);
    list.value("-o,--output", Out, "FILE", "Instead of the standard output");
  }

  std::string text(const profile::Profile &profile) const {
    report::ReportStyle style;
    style.color = (Out.empty() || Out == "-") && report::wantsColor(1);
    style.top = Top;
    style.sort = report::SortBy(Sort);
    style.verbose = Verbose;
    return report::render(profile, style) + rankReport(profile, Top ? Top : 10);
  }

  int run(const Invocation &) override {
    if (Files.empty())
      Files.push_back(newestSpool());
    std::vector<std::string> files = profileFiles(Files);
    std::string out;
    bool list = Json && files.size() > 1;
    for (std::size_t i = 0; i < files.size(); ++i) {
      profile::Profile profile = loadProfile(files[i]);
      if (Json)
        out += (list ? i ? ",\n" : "[\n" : "") + profile::toJson(profile);
      else if (Csv)
        out += (i ? "\r\n" : "") + csvTable(profile, Table);
      else
        out += (i ? "\n" : "") + text(profile);
    }
    writeText(Out, list ? out + "]\n" : out);
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeReport() { return std::make_unique<ReportCommand>(); }

} // namespace gpuinstr::cli
