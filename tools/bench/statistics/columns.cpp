// Runs several commands in turns and prints, row by row, the ratio of each to the first.
// SPDX-License-Identifier: Apache-2.0
//
// usage: gpuinstr-bench-columns [-n ROUNDS] [--wall] NAME=COMMAND NAME=COMMAND ...
//   Each command goes to the shell and prints lines `ROW: NUMBER` on stdout; with --wall the
//   seconds that it takes are its only row. One round, not counted, comes first; each round begins
//   with another column. Prints a table: the first column's median, then for each other column the
//   median ratio with its 95 % interval. A column whose command fails is left out by name. Exit
//   code 0; 2 when the first column fails.
#include "statistics/Statistics.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace gpuinstr::bench;

namespace {

using Rows = std::map<std::string, double>;

struct Column {
  std::string name, command;
  std::vector<Rows> rounds;
  bool failed = false;
};

/// False: it failed.
bool run(const std::string &command, bool wall, std::vector<std::string> &order, Rows &rows) {
  const auto start = std::chrono::steady_clock::now();
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return false;
  char line[4096];
  auto note = [&](const std::string &name, double value) {
    if (rows.emplace(name, value).second &&
        std::find(order.begin(), order.end(), name) == order.end())
      order.push_back(name);
  };
  while (std::fgets(line, sizeof line, pipe)) {
    char *colon = std::strrchr(line, ':'), *end = nullptr;
    const double value = colon ? std::strtod(colon + 1, &end) : 0;
    if (!wall && colon && end != colon + 1 && value > 0)
      note(std::string(line, static_cast<std::size_t>(colon - line)), value);
  }
  if (pclose(pipe) != 0)
    return false;
  if (wall)
    note("seconds",
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return !rows.empty();
}

void print(const std::vector<Column> &columns, const std::vector<std::string> &order) {
  for (const std::string &row : order) {
    std::vector<double> first;
    for (const Rows &round : columns[0].rounds)
      if (round.count(row))
        first.push_back(round.at(row));
    if (first.empty())
      continue;
    std::printf("%-24s %s %.6g", row.c_str(), columns[0].name.c_str(),
                medianInterval(first).median);
    for (std::size_t i = 1; i < columns.size(); ++i) {
      std::vector<double> ratios;
      for (std::size_t r = 0; r < columns[i].rounds.size() && !columns[i].failed; ++r)
        if (columns[0].rounds[r].count(row) && columns[i].rounds[r].count(row))
          ratios.push_back(columns[i].rounds[r].at(row) / columns[0].rounds[r].at(row));
      if (ratios.empty())
        continue;
      const Interval ratio = medianInterval(ratios);
      std::printf(" | %s %.4f [%.4f, %.4f]", columns[i].name.c_str(), ratio.median, ratio.low,
                  ratio.high);
    }
    std::printf("\n");
  }
}

[[noreturn]] void usage() {
  std::fprintf(stderr, "usage: gpuinstr-bench-columns [-n ROUNDS] [--wall] NAME=COMMAND ...\n");
  std::exit(2);
}

} // namespace

int main(int argc, char **argv) {
  unsigned long rounds = 31;
  bool wall = false;
  std::vector<Column> columns;
  for (int i = 1; i < argc; ++i) {
    const char *sign = std::strchr(argv[i], '=');
    if (!std::strcmp(argv[i], "-n") && i + 1 < argc)
      rounds = std::strtoul(argv[++i], nullptr, 10);
    else if (!std::strcmp(argv[i], "--wall"))
      wall = true;
    else if (sign)
      columns.push_back(
          {std::string(argv[i], static_cast<std::size_t>(sign - argv[i])), sign + 1, {}});
    else
      usage();
  }
  if (columns.empty() || rounds == 0)
    usage();
  std::vector<std::string> order;
  for (unsigned long round = 0; round <= rounds; ++round)
    for (std::size_t i = 0; i < columns.size(); ++i) {
      Column &column = columns[(i + round) % columns.size()];
      Rows rows;
      if (column.failed)
        continue;
      if (!run(column.command, wall, order, rows)) {
        std::fprintf(stderr, "%s: failed, left out: %s\n", column.name.c_str(),
                     column.command.c_str());
        if (&column == &columns[0])
          return 2;
        column.failed = true;
        continue;
      }
      if (round)
        column.rounds.push_back(std::move(rows));
    }
  std::printf("ratios, %lu rounds, median [95 %% interval]\n", rounds);
  print(columns, order);
}
