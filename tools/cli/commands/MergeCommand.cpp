// gpuinstr merge: the profiles of many processes as one.
// SPDX-License-Identifier: Apache-2.0
#include "Command.h"
#include "Files.h"
#include "Merge.h"
#include "profile/Json.h"
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <thread>

namespace gpuinstr::cli {

namespace {

/// What became of one file.
struct Parsed {
  profile::Profile profile;
  std::string error;
};

void parse(const std::string &file, Parsed &out) {
  try {
    out.profile = loadProfile(file);
  } catch (const std::exception &error) {
    out.error = error.what();
  }
}

/// Parses `files[begin, begin + out.size())`, each thread its share.
void parseBatch(const std::vector<std::string> &files, std::size_t begin, std::vector<Parsed> &out,
                unsigned threads) {
  auto share = [&](unsigned number) {
    for (std::size_t i = number; i < out.size(); i += threads)
      parse(files[begin + i], out[i]);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(share, i);
  share(0);
  for (std::thread &thread : others)
    thread.join();
}

} // namespace

profile::Profile mergeFiles(const std::vector<std::string> &files,
                            std::vector<std::string> *skipped) {
  constexpr std::size_t Batch = 32; // profiles in memory at once
  unsigned threads = std::min(8u, std::max(1u, std::thread::hardware_concurrency()));
  Merger merger;
  Progress progress("merge", files.size());
  for (std::size_t begin = 0; begin < files.size(); begin += Batch) {
    std::vector<Parsed> batch(std::min(Batch, files.size() - begin));
    parseBatch(files, begin, batch, std::min<unsigned>(threads, unsigned(batch.size())));
    for (Parsed &one : batch) {
      if (one.error.empty())
        merger.add(one.profile);
      else if (skipped)
        skipped->push_back(one.error);
      else
        throw Failure(one.error);
    }
    progress.at(begin + batch.size());
  }
  if (merger.processes() == 0)
    throw Failure("no profile to merge");
  return merger.finish();
}

void addMerge(CLI::App &app, int &code) {
  struct Options {
    std::vector<std::string> files;
    std::string out;
    bool keepGoing = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *merge = app.add_subcommand(
      "merge", "One profile of many processes: sums, spread over the ranks, union of findings");
  merge->add_option("files", options->files, "Profiles, or folders of them")->required();
  merge->add_option("-o,--output", options->out, "Where the merged profile goes")
      ->required()
      ->type_name("FILE");
  merge->add_flag("--keep-going", options->keepGoing,
                  "Pass over files that are no profile, name them, and exit with 1");
  merge->callback([options, &code] {
    std::vector<std::string> skipped;
    profile::Profile sum =
        mergeFiles(profileFiles(options->files), options->keepGoing ? &skipped : nullptr);
    writeText(options->out, profile::toJson(sum));
    for (const std::string &line : skipped)
      std::cerr << "gpuinstr: passed over: " << line << "\n";
    code = skipped.empty() ? 0 : 1;
  });
}

} // namespace gpuinstr::cli
