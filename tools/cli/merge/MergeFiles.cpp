// Profiles read from files and merged.
// SPDX-License-Identifier: Apache-2.0
#include "merge/MergeFiles.h"
#include "io/Failure.h"
#include "io/Profiles.h"
#include "io/Progress.h"
#include "merge/Merge.h"
#include <algorithm>
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

profile::Profile loadAll(const std::vector<std::string> &given) {
  std::vector<std::string> files = profileFiles(given);
  return files.size() == 1 ? loadProfile(files[0]) : mergeFiles(files);
}

} // namespace gpuinstr::cli
