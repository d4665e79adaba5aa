// gpuinstr report: profiles as text, JSON or CSV.
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "Csv.h"
#include "Files.h"
#include "RankReport.h"
#include "options/Options.h"
#include "profile/Json.h"
#include "report/TextReport.h"
#include <CLI/CLI.hpp>
#include <map>
#include <memory>

namespace gpuinstr::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  unsigned top = 0;
  report::SortBy sort = report::SortBy::Time;
  std::string table = "api", out;
  bool json = false, csv = false, verbose = false;
};

std::string text(const profile::Profile &profile, const Options &options) {
  options::Options runtime;
  report::ReportStyle style = report::detectStyle(1, runtime);
  style.color &= options.out.empty() || options.out == "-";
  style.top = options.top;
  style.sort = options.sort;
  style.verbose = options.verbose;
  return report::render(profile, style) + rankReport(profile, options.top ? options.top : 10);
}

void run(const Options &options) {
  std::vector<std::string> files = profileFiles(options.files);
  std::string out;
  bool list = options.json && files.size() > 1;
  for (std::size_t i = 0; i < files.size(); ++i) {
    profile::Profile profile = loadProfile(files[i]);
    if (options.json)
      out += (list ? i ? ",\n" : "[\n" : "") + profile::toJson(profile);
    else if (options.csv)
      out += (i ? "\r\n" : "") + csvTable(profile, options.table);
    else
      out += (i ? "\n" : "") + text(profile, options);
  }
  writeText(options.out, list ? out + "]\n" : out);
}

} // namespace

void addReport(CLI::App &app, int &code) {
  auto options = std::make_shared<Options>();
  CLI::App *report = app.add_subcommand("report", "Profiles as text, JSON or CSV");
  report->add_option("files", options->files, "Profiles, or folders of them")->required();
  report->add_option("--top", options->top, "Rows of each table (default: what fits 40 lines)")
      ->type_name("N");
  std::map<std::string, report::SortBy> orders{{"time", report::SortBy::Time},
                                               {"calls", report::SortBy::Calls},
                                               {"avg", report::SortBy::Average},
                                               {"bytes", report::SortBy::Bytes},
                                               {"name", report::SortBy::Name}};
  report->add_option("--sort", options->sort, "Order of the calls: time, calls, avg, bytes, name")
      ->transform(CLI::CheckedTransformer(orders).description(""))
      ->type_name("KEY");
  report->add_flag("-v,--verbose", options->verbose, "Everything, without the limit of 40 lines");
  CLI::Option *json = report->add_flag("--json", options->json, "JSON; several become an array");
  CLI::Option *csv = report->add_flag("--csv", options->csv, "CSV with nsys's column names");
  csv->excludes(json);
  std::vector<std::string> tables;
  std::string names;
  for (const CsvTable &table : csvTables()) {
    names += (names.empty() ? "" : ", ") + std::string(table.name);
    tables.push_back(table.name);
    if (*table.nsys)
      tables.push_back(table.nsys);
  }
  report->add_option("--table", options->table, "Of --csv: " + names + ", or nsys's name of one")
      ->check(CLI::IsMember(tables).description(""))
      ->type_name("TABLE")
      ->needs(csv);
  report->add_option("-o,--output", options->out, "Instead of the standard output")
      ->type_name("FILE");
  report->callback([options, &code] {
    run(*options);
    code = 0;
  });
}

} // namespace gpuinstr::cli
