// Writes the profiles of a large job, for tools/bench/merge and tools/check-parquet: generate
// FOLDER RANKS SITES. The rank in the middle waits ten times as long at its first synchronisation.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Json.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace gpuinstr::profile;

static std::string idOf(unsigned number) {
  char text[24];
  std::snprintf(text, sizeof text, "%016x", 0x1000 + number);
  return text;
}

static Site siteOf(unsigned number, unsigned rank, bool slow) {
  static const char *const callees[] = {"cudaMemcpyAsync", "saxpy<float>", "cudaMalloc",
                                        "cudaStreamSynchronize"};
  static const SiteKind kinds[] = {SiteKind::Copy, SiteKind::Launch, SiteKind::Alloc,
                                   SiteKind::Sync};
  Site site;
  site.id = idOf(number);
  site.kind = kinds[number % 4];
  site.callee = callees[number % 4];
  site.file = "/home/user/solver/src/part" + std::to_string(number / 20) + ".cu";
  site.line = 10 + 7 * (number % 20);
  site.column = 5;
  site.function = "Solver::step" + std::to_string(number / 5);
  site.arguments = {"d_field.get()", "h_field.data()", "n * sizeof(float)", "stream"};
  site.variable = "d_field" + std::to_string(number);
  site.type = "float";
  site.calls = 1000 + rank % 7;
  site.bytes = site.calls * 4096;
  site.host.count = site.calls - 1;
  site.host.mean_ns = 4000 + 10.0 * (rank % 13) + number + 0.01 * rank; // no two ranks alike
  if (slow && site.kind == SiteKind::Sync)
    site.host.mean_ns *= 10;
  site.host.total_ns = uint64_t(site.host.mean_ns * double(site.host.count));
  site.host.stddev_ns = 321.5;
  site.host.min_ns = 2100;
  site.host.max_ns = 98000 + rank;
  site.host.median_ns = 3900;
  site.host.first_ns = 120000;
  return site;
}

/// Of a field, so many times 4096 bytes.
static Finding findingOf(Pattern pattern, unsigned number, uint64_t count) {
  Finding finding;
  finding.pattern = pattern;
  finding.grade = Grade::Proven;
  finding.site = idOf(number);
  finding.variable = "d_field" + std::to_string(number);
  finding.count = count;
  finding.bytes = 4096 * count;
  if (pattern == Pattern::Leak)
    finding.memory = Resource::Device;
  else
    finding.cost_ns = count * (4000 + number);
  return finding;
}

static Profile profileOf(unsigned rank, unsigned ranks, unsigned sites) {
  Profile p;
  p.cuda_used = true;
  p.process.pid = 1000 + rank;
  p.process.exe = "/home/user/solver/solver";
  p.process.args = {"./solver", "--steps=1000"};
  p.process.host = "node" + std::to_string(rank / 8);
  p.process.rank = int(rank);
  p.process.rank_source = "SLURM_PROCID";
  p.process.wall_ns = 60000000000 + rank;
  p.process.ended = "exit";
  p.process.exit_code = 0;
  p.devices = {
      {int(rank % 8), "NVIDIA H200", 150000000000, 90000000000u + rank, 1000000000, false}};
  for (unsigned i = 0; i < sites; ++i)
    p.sites.push_back(siteOf(i, rank, rank == ranks / 2 && i < 4));
  for (unsigned i = 0; i < 10; ++i)
    if ((rank + i) % 4)
      p.findings.push_back(findingOf(Pattern::Leak, 4 * i + 2, 1 + rank % 3));
  for (unsigned i = 0; i < sites && rank % 2; i += 8)
    p.findings.push_back(findingOf(Pattern::Reupload, i, 900 + rank % 7));
  return p;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: generate FOLDER RANKS SITES\n"), 2;
  unsigned ranks = unsigned(std::atoi(argv[2])), sites = unsigned(std::atoi(argv[3]));
  std::filesystem::create_directories(argv[1]);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    std::ofstream out(std::string(argv[1]) + "/" + std::to_string(rank) + ".json");
    if (!(out << toJson(profileOf(rank, ranks, sites))))
      return std::perror(argv[1]), 2;
  }
}
