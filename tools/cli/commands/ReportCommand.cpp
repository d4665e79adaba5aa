// gpuinstr report: profiles as text, JSON or CSV.
// SPDX-License-Identifier: Apache-2.0
#include "commandline/Command.h"
#include "export/Annotations.h"
#include "export/Csv.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/Profiles.h"
#include "io/Spools.h"
#include "merge/RankReport.h"
#include "profile/Json.h"
#include "report/TextReport.h"
#include <algorithm>
#include <cstdint>
#include <filesystem>

namespace gpuinstr::cli {

namespace {

enum class ReportFormat { Text, Json, Csv, Github, Junit };

class ReportCommand : public Command {
  std::vector<std::string> Files;
  int Chosen = int(ReportFormat::Text);
  std::string Root;
  unsigned Top = 0;
  int Sort = int(report::SortBy::Time);
  std::string Table = "api", Out;
  bool Json = false, Csv = false, Verbose = false;

  void declare(OptionList &list) override {
    list.words("FILE", Files,
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
    Option format =
        list.choice("--format", Chosen,
                    {{"text", int(ReportFormat::Text)},
                     {"json", int(ReportFormat::Json)},
                     {"csv", int(ReportFormat::Csv)},
                     {"github", int(ReportFormat::Github)},
                     {"junit", int(ReportFormat::Junit)}},
                    "FORMAT", "text, json, csv, github (annotations of a workflow), junit (XML)");
    list.value("--source-root", Root, "DIR",
               "Of github and junit: paths below it are written relative to it (default: here)");
    Option json = list.flag("--json", Json, "JSON; several become an array");
    Option csv = list.flag("--csv", Csv, "CSV with nsys's column names");
    csv.excludes(json);
    json.excludes(format);
    csv.excludes(format);
    std::vector<std::string> tables;
    std::string names;
    for (const CsvTable &table : csvTables()) {
      names += (names.empty() ? "" : ", ") + std::string(table.name);
      tables.push_back(table.name);
      if (*table.nsys)
        tables.push_back(table.nsys);
    }
    list.value("--table", Table, "TABLE", "Of --csv: " + names + ", or nsys's name of one")
        .oneOf(tables);
    list.value("-o,--output", Out, "FILE", "Instead of the standard output");
  }

  std::string text(const profile::Profile &profile, const std::string &file) const {
    report::ReportStyle style;
    if (std::filesystem::path(file).extension() == ".json")
      style.jsonPath = file;
    style.color = (Out.empty() || Out == "-") && report::wantsColor(1);
    style.top = Top;
    style.sort = report::SortBy(Sort);
    style.verbose = Verbose;
    // The ranks come first, and all of it has the lines of one report.
    std::size_t rows = Verbose ? SIZE_MAX : Top ? Top : 5;
    std::string head = rankHead(profile), tail = rankReport(profile, rows);
    auto lines =
        std::count(head.begin(), head.end(), '\n') + std::count(tail.begin(), tail.end(), '\n');
    style.maxLines -= std::min(style.maxLines, static_cast<unsigned>(lines));
    return head + report::render(profile, style) + tail;
  }

  ReportFormat format() const {
    return Json ? ReportFormat::Json : Csv ? ReportFormat::Csv : ReportFormat(Chosen);
  }

  int run(const Invocation &) override {
    if (Files.empty())
      Files.push_back(newestSpool());
    std::vector<std::string> files = profileFiles(Files);
    std::string out, root = (std::filesystem::current_path() / Root).lexically_normal().string();
    ReportFormat format = this->format();
    if (format == ReportFormat::Junit && files.size() > 1)
      throw Failure("--format junit: one profile; merge several first (gpuinstr merge)");
    bool list = format == ReportFormat::Json && files.size() > 1;
    for (std::size_t i = 0; i < files.size(); ++i) {
      profile::Profile profile = loadProfile(files[i]);
      switch (format) {
      case ReportFormat::Json:
        out += (list ? i ? ",\n" : "[\n" : "") + profile::toJson(profile);
        break;
      case ReportFormat::Csv:
        out += csvOfProcess(csvTable(profile, Table), profile, i == 0);
        break;
      case ReportFormat::Github:
        out += githubAnnotations(profile, root);
        break;
      case ReportFormat::Junit:
        out += junit(profile, root);
        break;
      case ReportFormat::Text:
        out += (i ? "\n" : "") + text(profile, files[i]);
        break;
      }
    }
    writeText(Out, list ? out + "]\n" : out);
    return 0;
  }
};

} // namespace

std::unique_ptr<Command> makeReport() { return std::make_unique<ReportCommand>(); }

} // namespace gpuinstr::cli
