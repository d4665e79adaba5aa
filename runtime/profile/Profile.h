// The profile: plain data that the runtime builds and every reporter reads.
// SPDX-License-Identifier: Apache-2.0
//
// Times are nanoseconds of the host's monotonic clock, sizes are bytes. On disk it is JSON of
// docs/profile.schema.json; `version` rises when a field changes its meaning.
#ifndef GPUINSTR_PROFILE_PROFILE_H
#define GPUINSTR_PROFILE_PROFILE_H

#include "profile/kinds/FindingKind.h"
#include "profile/kinds/SiteKind.h"
#include "profile/kinds/TimeKinds.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr::profile {

inline constexpr const char *SchemaName = "gpuinstr-profile";
inline constexpr int SchemaVersion = 1;

/// Statistics of a set of durations. `median_ns` comes from a histogram (relative error at most
/// 1/16).
struct Duration {
  uint64_t count = 0;
  uint64_t total_ns = 0;
  double mean_ns = 0;
  double stddev_ns = 0;
  uint64_t min_ns = 0;
  uint64_t max_ns = 0;
  uint64_t median_ns = 0;
  uint64_t first_ns = 0; ///< the first call, which is kept out of all figures above
  uint64_t samples = 0;  ///< calls that were timed: below `count` the figures are estimates

  bool estimated() const { return samples && samples < count; } ///< 0: an older profile
};

/// CUDA's one-time costs on the host. Those of calls are what goes beyond a usual call.
struct StartUp {
  Named<StartUpMethod> method; ///< Host: from calls alone; Cupti: jit_ns and loading_ns as well
  uint64_t total_ns = 0;
  uint64_t context_ns = 0;  ///< calls until the first context was there; contexts of other devices
  std::string context_site; ///< id of the site of the longest of these calls, "" unknown
  uint64_t modules = 0, modules_ns = 0; ///< calls that load device code: cuModuleLoadData ...
  uint64_t kernels = 0, first_launches_ns = 0; ///< first launches load code as well
  uint64_t jit_ns = 0;                         ///< compiling PTX, within all of the above
  uint64_t loading_ns = 0;                     ///< compiling and loading after the first context
};

/// A part of the tool's own cost, in time of the program's threads.
struct OwnCost {
  Named<OwnConsumer> consumer;
  uint64_t ns = 0;
};

struct Process {
  int64_t pid = 0;
  std::string exe;
  std::vector<std::string> args;
  std::string host;
  int rank = -1;           ///< -1: no launcher
  std::string rank_source; ///< the variable that the rank came from
  uint64_t wall_ns = 0;
  /// Of it since the last reset, while recording was not paused and inside capture=: what shares
  /// are of. 0: an older profile, see recordedNs().
  uint64_t recorded_ns = 0;
  /// "exit", "exit in a call", "_exit", "quick_exit", "abort", "signal 15", "reset", "report_now"
  std::string ended;
  int exit_code = -1;      ///< the program's own, -1 unknown
  uint64_t startup_ns = 0; ///< the runtime's own start
  /// What the runtime does at the end: it reads the last device times, asks the driver what still
  /// lives, makes the profile. Without writing it.
  uint64_t ending_ns = 0;
  double own_cost_percent = 0;
  std::vector<OwnCost> own_costs; ///< what that share went into, dearest first
  uint64_t own_cupti_ns = 0;      ///< within the two above: what CUPTI says that it cost
  uint64_t own_host_bytes = 0, own_device_bytes = 0; ///< memory that the runtime held at the report
  std::string first_site; ///< id of the site of the process's first CUDA call: its first_ns holds
                          ///< CUDA's own start-up; "" unknown
  StartUp startup;
};

/// What shares of a run's time are shares of.
inline uint64_t recordedNs(const Process &process) {
  return process.recorded_ns ? process.recorded_ns : process.wall_ns;
}

struct Device {
  int ordinal = 0;
  std::string name;
  uint64_t memory_bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t peak_at_ns = 0; ///< since process start
  bool simulated = false;
  uint64_t kernels_not_run = 0; ///< simulated: kernels that only counted as done
};

/// In place of a kernel's name: what a site launched beyond the kernels that are told apart there.
inline constexpr const char *OtherKernels = "other kernels";

/// What of a DeviceRow was on one device.
struct DevicePart {
  int device = -1; ///< ordinal; -1 unknown
  uint64_t operations = 0, total_ns = 0, ci_ns = 0;
};

/// Time on the device of one kind of operation at a site: a kernel, a direction of copies. Figures
/// as in DeviceTime.
struct DeviceRow {
  /// The kernel's, OtherKernels, "graph exec"; "" unknown, and for copies and sets.
  std::string name;
  Named<DeviceOperation> operation;
  Named<HostSide> memory; ///< of a copy, "" none or unknown
  uint64_t samples = 0, operations = 0, total_ns = 0, ci_ns = 0, min_ns = 0, max_ns = 0;
  uint64_t bytes = 0; ///< moved by all operations, estimated from the timed ones
  /// Not all were timed and the site has other kinds of operations as well: the samples say how
  /// many were of this kind.
  bool operations_estimated = false;
  std::vector<DevicePart> devices; ///< sampled, while the profile is made: not in the JSON
  // Exact times only. Sums over the operations: in the call, from its return to the start on the
  // device, and from the start of the call to the end on the device.
  uint64_t median_ns = 0;
  double stddev_ns = 0;
  uint64_t api_ns = 0, queue_ns = 0, span_ns = 0;
  // Kernels, exact times only: the first launch, and whether later ones looked otherwise.
  std::vector<uint32_t> grid, block;                             ///< x, y, z
  uint64_t static_shared = 0, dynamic_shared = 0, registers = 0; ///< bytes; per thread
  double occupancy_percent = 0; ///< theoretical: warps of a multiprocessor; 0 unknown
  bool shapes_differ = false;
};

/// Time on the device of a site's operations. A total is an estimate from `samples` of them, with
/// half of its 95 % interval in `ci_ns`; graph captures count in neither, nor do calls
/// that failed: where there were some, `operations` is an estimate as well.
struct DeviceTime {
  Named<TimeMethod> method; ///< "" nothing was timed
  uint64_t samples = 0, operations = 0, total_ns = 0, ci_ns = 0;
  uint64_t min_ns = 0, max_ns = 0; ///< of the samples
  std::vector<DeviceRow> rows;
  bool operations_estimated = false;
  /// Sampled: operations that are in no figure above, those of a line where none was timed, and
  /// those that went to a stream of a device that was not current. Estimated in the second case,
  /// and where some of the line's went into graphs.
  uint64_t untimed = 0;
  /// Operations without work of their own on the device: put into a graph, nothing to copy.
  uint64_t no_work = 0;
  /// Sampled: sites whose work is in the graphs that are launched here, in the order of the
  /// capture.
  std::vector<std::string> captured_from;
};

struct Site {
  std::string id; ///< 16 hex digits, stable when lines shift
  Named<SiteKind> kind;
  std::string file;
  uint32_t line = 0, column = 0;
  std::string function, callee;
  std::vector<std::string> arguments;
  std::string variable, type;
  std::string caller; ///< id of the caller descriptor's site entry, "" none
  /// Of a call in a wrapper, which stands at the line that uses the wrapper: ids of the lines
  /// between it and the CUDA call, that call's own last.
  std::vector<std::string> via;
  Named<Resource> memory; ///< what is allocated, "" none
  uint64_t calls = 0, failed = 0, bytes = 0;
  /// Some of `calls` were counted without being looked at: each counts for the next line of the
  /// same thread that was. The sum over all sites is exact.
  bool calls_estimated = false;
  Duration host;
  DeviceTime device;
  std::vector<std::string> kernels; ///< names of the kernels launched here
};

/// Live memory at the peak or at an out-of-memory, by site and variable.
struct Holder {
  std::string site, caller, variable;
  Named<Resource> memory;
  uint64_t bytes = 0, count = 0;
};

/// Memory that a site allocated over the whole run.
struct Allocations {
  std::string site, variable;
  Named<Resource> memory;
  std::string caller; ///< that gave the memory its name, "" none
  int device = -1;    ///< -1 unknown
  uint64_t count = 0, bytes = 0;
  uint64_t peak_bytes = 0; ///< most live at once, of this row alone
  uint64_t live_count = 0, live_bytes = 0;
};

/// A line that launched a kernel with the address of what a finding is about.
struct KernelUse {
  std::string site;   ///< Site::id
  std::string access; ///< what its code does there: "reads", "writes", "reads, writes",
                      ///< "untouched", "hands it on", "unknown"
};

struct Finding {
  Named<Pattern> pattern;
  Named<Grade> grade;
  std::string site;    ///< Site::id that carries it
  std::string caller;  ///< Site::id of the caller, "" none
  std::string related; ///< Site::id of a second place (the first free, the earlier upload), "" none
  std::string variable, type;
  Named<Resource> memory; ///< for leaks
  uint64_t count = 0, bytes = 0;
  uint64_t elements = 0; ///< per allocation, when type and size tell; 0 otherwise
  uint64_t cost_ns = 0;
  Named<TransferDirection> direction;  ///< waste of transfers; "" elsewhere
  std::string source;                  ///< waste of copies: the source as spelled, "" unknown
  uint64_t checked = 0, unchanged = 0; ///< repeats whose bytes were compared; ... were the same
  uint64_t host_checked = 0;           ///< of `checked`: by what the host sent alone
  uint64_t last_look_ns = 0;           ///< since process start, of the last of them; 0 none
  /// Of `count` so many were met, when only some of the line's calls were looked at: count, bytes
  /// and cost_ns are then told from how often the line ran. 0: all were met.
  uint64_t counted = 0;
  uint64_t firsts = 1; ///< so many of the line's copies repeat none, 0 not known; not in the JSON
  uint64_t of_caller = 0, bytes_of_caller = 0; ///< copies of the line by `caller`; not in the JSON
  bool in_place = false; ///< reupload into a buffer that held the bytes still; not in the JSON
  std::vector<KernelUse> kernels; ///< up to 8
  bool more_kernels = false;      ///< than are listed
  std::string error;              ///< cudaErrorInvalidValue ... where one is involved
  std::string message, fix;
  bool suppressed = false;
  std::string suppression;     ///< the rule or the source comment
  std::vector<Holder> holders; ///< out-of-memory only
};

struct Image {
  std::string path;
  bool instrumented = false;
  uint32_t sites = 0, sites_run = 0;
  std::vector<std::string> unseen_calls; ///< of CUDA, by objects without instrumentation
  bool trusted = false;                  ///< option trust: what is unseen there is harmless
};

/// How much of what may be waste was looked at. Eligible are the repeats of a transfer: same site,
/// destination and size.
struct Audit {
  Named<AuditDepth> mode;
  uint64_t eligible = 0, eligible_bytes = 0;
  uint64_t verified = 0, verified_bytes = 0;
  uint64_t skipped_budget = 0;     ///< the budget was spent
  uint64_t skipped_busy = 0;       ///< a kernel may have been running beside it
  uint64_t skipped_capture = 0;    ///< a stream under capture; a graph that may change the source
  uint64_t skipped_full = 0;       ///< too many looks were under way
  uint64_t skipped_device = 0;     ///< no engine: memory short, a driver's refusal
  uint64_t skipped_unreadable = 0; ///< another context's, or memory that the tool may not read
  /// Copies and sets, in graphs as often as those were launched; time in the calls.
  uint64_t transfers = 0, transfer_bytes = 0, transfer_ns = 0;
  /// ... to destinations of which it is known whether the repeats changed anything.
  uint64_t judged = 0, judged_bytes = 0, judged_ns = 0;
};

/// Enough for a verdict: nine tenths of the bytes, and of the time.
inline bool isJudged(const Audit &audit) {
  auto most = [](uint64_t part, uint64_t whole) { return double(part) >= 0.9 * double(whole); };
  return audit.mode != AuditDepth::Off && most(audit.judged_bytes, audit.transfer_bytes) &&
         most(audit.judged_ns, audit.transfer_ns);
}

struct Coverage {
  std::vector<Image> images;                ///< instrumented, and loaded CUDA users that are not
  std::vector<std::string> vendor;          ///< "cuBLAS" ...
  std::vector<std::string> addresses_taken; ///< entry points called through pointers, unseen
  uint32_t sites = 0, sites_run = 0;
  /// Copies and sets with an operand on the device that no instrumented code allocated.
  uint64_t foreign_operations = 0;
  Audit audit;
  std::vector<std::string> notes; ///< what was not seen or was switched off, one line each
};

struct Suppression {
  std::string rule, origin; ///< origin: file:line of the rule
  uint64_t used = 0;        ///< findings that it suppressed
  uint64_t exceeded = 0;    ///< findings that it matched but for max=N, and that are reported
};

/// One figure over the processes of a merged profile; those without it count as 0.
struct Spread {
  uint64_t min = 0;
  double avg = 0;
  uint64_t max = 0;
  int min_rank = -1, max_rank = -1;
  double imbalance_percent = 0; ///< (max / avg - 1) * 100: 0 when all are alike
};

struct MergedSite {
  std::string site;   ///< Site::id
  uint64_t ranks = 0; ///< processes that ran it
  Spread host_ns;     ///< first calls included
  Spread calls, bytes;
};

struct MergedFinding {
  uint64_t finding = 0;  ///< place in Profile::findings
  uint64_t ranks = 0;    ///< processes that have it
  std::string rank_list; ///< "0-3,7"
  Spread count, bytes;
};

/// What `gpuinstr merge` knows besides the sums; processes is 0 in a profile of one process.
struct Merged {
  uint64_t processes = 0, hosts = 0;
  Spread wall_ns, host_ns, peak_bytes; ///< host_ns: all CUDA calls of a process
  std::vector<MergedSite> sites;
  std::vector<MergedFinding> findings;
};

/// What a device's time went into. The parts are disjoint, a moment counts for the first of them in
/// this order; they add up to wall_ns, unless `overlapped`: then all are 0.
struct GpuShare {
  int device = 0;
  Named<TimeMethod> method; ///< Sampled: estimates
  uint64_t wall_ns = 0;
  uint64_t kernels_ns = 0, h2d_ns = 0, d2h_ns = 0, d2d_ns = 0, set_ns = 0;
  // Idle, by what the host did meanwhile.
  uint64_t idle_startup_ns = 0, idle_copies_ns = 0, idle_allocation_ns = 0, idle_launch_ns = 0;
  uint64_t idle_sync_ns = 0, idle_host_ns = 0;
  // Copies between host and device beside kernels; possible: the shorter of the two.
  uint64_t overlap_ns = 0, overlap_possible_ns = 0;
  // Sampled only.
  uint64_t idle_unknown_ns = 0; ///< no cause can be proven from what the host did in all
  uint64_t sum_ns = 0;          ///< of all timed operations, at once or not
  uint64_t ci_ns = 0;           ///< half of the 95 % interval of sum_ns
  /// Operations of which no time is known: idle time may hold them. Of several devices each has
  /// those that may have been its own.
  uint64_t untimed = 0;
  bool unseen = false;     ///< code that is not instrumented may have used the device as well
  bool at_most = false;    ///< work may have run side by side: busy parts at most, idle at least
  bool overlapped = false; ///< sum_ns is beyond wall_ns: no share can be told
};

struct HostShare {
  Named<HostActivity> name;
  uint64_t ns = 0;
};

/// Time in which the device surely had nothing to do, by the lines between which that was.
struct IdleGap {
  Named<IdleCause> cause;
  std::string from; ///< Site::id of the call that had waited for all work
  std::string to;   ///< ... of the next call; of an allocation the same
  uint64_t count = 0, ns = 0;
};

/// Where the wall time went.
struct Breakdown {
  std::vector<GpuShare> gpus;
  std::vector<IdleGap> idle;   ///< longest first, 64 at most; one device, one thread only
  std::vector<HostShare> host; ///< longest first, YourCode last
};

/// All ranges of one name that the program opened and closed (gpuinstr_push_range, NVTX), on all
/// threads. What lies inside inner ranges counts for the outer ones as well.
struct Phase {
  std::string name;
  uint64_t instances = 0, total_ns = 0;
  uint64_t looked_at = 0; ///< instances behind the figures below, which stand for all
  uint64_t calls_ns = 0;  ///< of total_ns in CUDA calls; the rest is the program's own code
  uint64_t device_ns = 0; ///< work on devices that was issued in it: calls times a site's mean
  bool device_known = false;
  uint64_t idle_ns = 0; ///< the device surely had nothing to do: at least
  bool idle_known = false;
};

/// In how many of the readings a device's clocks were held back by this.
struct ClockReasonCount {
  Named<ClockReason> reason;
  uint64_t readings = 0;
};

/// What the driver says of a whole device, other processes included. Figures that are not known are
/// 0, and those of moments below ShortestPowerNs.
struct Power {
  int device = 0;
  uint64_t from_ns = 0, covered_ns = 0; ///< first reading since process start; to the last one
  uint64_t readings = 0;
  uint64_t energy_mj = 0;               ///< between the first and the last reading
  uint64_t average_mw = 0, peak_mw = 0; ///< of the readings
  double utilisation_percent = 0;       ///< time in which some kernel ran
  uint64_t sm_mhz = 0, sm_mhz_min = 0, sm_mhz_max = 0;
  std::vector<ClockReasonCount> held_back; ///< most readings first
};
inline constexpr uint64_t ShortestPowerNs = 1000000000;

struct Profile {
  Process process;
  std::vector<Device> devices;
  std::vector<Site> sites; ///< caller entries included, of kind Caller
  std::vector<Finding> findings;
  std::vector<Holder> peak_holders;
  std::vector<Allocations> allocations; ///< largest first
  Breakdown breakdown;
  std::vector<Phase> phases; ///< longest first
  std::vector<Power> power;  ///< by device; not of merged profiles: ranks may share one
  Coverage coverage;
  std::vector<Suppression> suppressions;
  bool cuda_used = false; ///< no CUDA call was made: nothing is printed or written
  bool paused = false;
  Merged merged; ///< left out of the JSON when merged.processes is 0
};

/// Nothing was watched: the program called CUDA, and there was no device.
inline bool withoutGpu(const Profile &profile) {
  bool failed = false;
  for (const Site &site : profile.sites)
    failed |= site.failed != 0;
  return profile.devices.empty() && failed && profile.findings.empty();
}

} // namespace gpuinstr::profile

#endif
