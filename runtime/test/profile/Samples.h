// Profiles that several tests share.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_PROFILE_SAMPLES_H
#define GPUINSTR_TEST_PROFILE_SAMPLES_H

#include "profile/Profile.h"
#include <string>
#include <utility>

namespace gpuinstr::test {

inline profile::Site makeSite(std::string id, std::string_view kind, std::string callee,
                              std::string file, uint32_t line, std::string function) {
  profile::Site site;
  site.id = std::move(id);
  site.kind = profile::Named<profile::SiteKind>::fromText(kind);
  site.callee = std::move(callee);
  site.file = std::move(file);
  site.line = line;
  site.column = 3;
  site.function = std::move(function);
  return site;
}

/// `calls` calls of `each` ns and a first one of `first` ns.
inline profile::Site timed(profile::Site site, uint64_t calls, uint64_t each, uint64_t first) {
  site.calls = calls + 1;
  site.host.count = calls;
  site.host.total_ns = calls * each;
  site.host.mean_ns = static_cast<double>(each);
  site.host.min_ns = site.host.max_ns = site.host.median_ns = each;
  site.host.first_ns = first;
  return site;
}

inline profile::Finding makeFinding(std::string_view pattern, std::string_view grade,
                                    std::string site, std::string variable, uint64_t bytes,
                                    uint64_t count) {
  profile::Finding finding;
  finding.pattern = profile::Named<profile::Pattern>::fromText(pattern);
  finding.grade = profile::Named<profile::Grade>::fromText(grade);
  finding.site = std::move(site);
  finding.variable = std::move(variable);
  finding.bytes = bytes;
  finding.count = count;
  return finding;
}

/// The program of docs: two leaks, one of them in a wrapper, and a discarded error.
inline profile::Profile trainProfile() {
  profile::Profile p;
  p.cuda_used = true;
  p.process.pid = 4242;
  p.process.exe = "/home/ada/train";
  p.process.args = {"./train", "--steps=400"};
  p.process.host = "node7";
  p.process.wall_ns = 2314000000;
  p.process.ended = "exit";
  p.process.exit_code = 0;
  p.process.startup_ns = 14000000;
  p.process.own_cost_percent = 0.9;
  p.process.first_site = "00000000000000a1";
  p.devices = {{0, "NVIDIA H200", 150000000000, 1240000000, 1882000000, false}};

  std::string file = "/src/train.cu";
  p.sites = {
      timed(makeSite("00000000000000a1", "alloc", "cudaMalloc", file, 88, "Trainer::step"), 0, 0,
            412000000),
      timed(makeSite("00000000000000a2", "alloc", "cudaMalloc", "/src/buffer.h", 31,
                     "Buffer<float>::Buffer"),
            3, 40000000, 21000000),
      timed(makeSite("00000000000000a3", "copy", "cudaMemcpyAsync", file, 152, "upload"), 2, 90000,
            120000),
      timed(makeSite("00000000000000a4", "launch", "saxpy<float>", file, 133, "Trainer::step"), 399,
            5800, 9000),
      timed(
          makeSite("00000000000000a5", "sync", "cudaDeviceSynchronize", file, 134, "Trainer::step"),
          399, 1310000, 1400000),
      timed(makeSite("00000000000000a6", "copy", "cudaMemcpy", file, 131, "upload"), 398, 1180000,
            2360000),
      timed(makeSite("00000000000000a7", "alloc", "cudaMalloc", "/src/tables.cu", 12, "initTables"),
            0, 0, 1000000),
      makeSite("00000000000000c1", "caller", "", file, 140, "Trainer::init"),
  };
  p.sites.back().variable = "this->scratch";
  p.sites[1].host.stddev_ns = 1250000;

  p.findings = {
      makeFinding("leak", "proven", "00000000000000a1", "d_tmp", 4194304, 1),
      makeFinding("leak", "proven", "00000000000000a2", "this->scratch", 4194304, 1),
      makeFinding("ignored-error", "proven", "00000000000000a3", "d_w", 0, 3),
      makeFinding("held-at-exit", "information", "00000000000000a7", "g_table", 64000000, 1),
  };
  for (int i : {0, 1}) {
    p.findings[i].type = "float";
    p.findings[i].elements = 1048576;
    p.findings[i].memory = profile::Resource::Device;
  }
  p.findings[1].caller = "00000000000000c1";
  p.findings[2].error = "cudaErrorInvalidValue";

  p.peak_holders = {{"00000000000000a2", "", "d_act", profile::Resource::Device, 512000000, 1},
                    {"00000000000000a1", "", "d_grad", profile::Resource::Device, 512000000, 2}};
  p.coverage.images = {{"/home/ada/train", true, 38, 35},
                       {"/usr/lib/libsolver.so", true, 3, 3},
                       {"/usr/lib/libmesh.so", false, 0, 0}};
  p.coverage.sites = 41;
  p.coverage.sites_run = 38;
  p.coverage.vendor = {"cuBLAS"};
  return p;
}

} // namespace gpuinstr::test

#endif
