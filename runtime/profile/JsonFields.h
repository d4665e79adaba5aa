// The members of the profile's structs by name: one list a struct serves both directions of its
// JSON. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_JSONFIELDS_H
#define GPUINSTR_PROFILE_JSONFIELDS_H

#include "profile/Profile.h"

namespace gpuinstr::profile {

// fields(f, static_cast<T *>(nullptr)) calls f(name, pointer to member) for each, in the order of
// the document. The key is the member's name.
#define FIELD(name) f(#name, &S::name)

template <class F> void fields(F f, Duration *) {
  using S = Duration;
  FIELD(count), FIELD(total_ns), FIELD(mean_ns), FIELD(stddev_ns), FIELD(min_ns), FIELD(max_ns);
  FIELD(median_ns), FIELD(first_ns), FIELD(samples);
}

template <class F> void fields(F f, StartUp *) {
  using S = StartUp;
  FIELD(method), FIELD(total_ns), FIELD(context_ns), FIELD(context_site), FIELD(modules);
  FIELD(modules_ns), FIELD(kernels), FIELD(first_launches_ns), FIELD(jit_ns), FIELD(loading_ns);
}

template <class F> void fields(F f, OwnCost *) {
  using S = OwnCost;
  FIELD(consumer), FIELD(ns);
}

template <class F> void fields(F f, Process *) {
  using S = Process;
  FIELD(pid), FIELD(exe), FIELD(args), FIELD(host), FIELD(rank), FIELD(rank_source);
  FIELD(wall_ns), FIELD(recorded_ns), FIELD(ended), FIELD(exit_code), FIELD(startup_ns),
      FIELD(ending_ns), FIELD(own_cost_percent);
  FIELD(own_costs), FIELD(own_cupti_ns), FIELD(own_host_bytes), FIELD(own_device_bytes),
      FIELD(first_site), FIELD(startup);
}

template <class F> void fields(F f, Device *) {
  using S = Device;
  FIELD(ordinal), FIELD(name), FIELD(memory_bytes), FIELD(peak_bytes), FIELD(peak_at_ns);
  FIELD(simulated), FIELD(kernels_not_run);
}

template <class F> void fields(F f, DeviceRow *) {
  using S = DeviceRow;
  FIELD(name), FIELD(operation), FIELD(memory), FIELD(samples), FIELD(operations), FIELD(total_ns);
  FIELD(operations_estimated), FIELD(ci_ns), FIELD(min_ns), FIELD(max_ns), FIELD(bytes);
  FIELD(median_ns), FIELD(stddev_ns);
  FIELD(api_ns), FIELD(queue_ns), FIELD(span_ns), FIELD(grid), FIELD(block), FIELD(static_shared);
  FIELD(dynamic_shared), FIELD(registers), FIELD(occupancy_percent), FIELD(shapes_differ);
}

template <class F> void fields(F f, DeviceTime *) {
  using S = DeviceTime;
  FIELD(method), FIELD(samples), FIELD(operations), FIELD(total_ns), FIELD(ci_ns), FIELD(min_ns);
  FIELD(max_ns), FIELD(operations_estimated), FIELD(untimed), FIELD(no_work), FIELD(rows);
  FIELD(captured_from);
}

template <class F> void fields(F f, Site *) {
  using S = Site;
  FIELD(id), FIELD(kind), FIELD(file), FIELD(line), FIELD(column), FIELD(function), FIELD(callee);
  FIELD(arguments), FIELD(variable), FIELD(type), FIELD(caller), FIELD(memory), FIELD(calls),
      FIELD(calls_estimated);
  FIELD(failed), FIELD(bytes), FIELD(host), FIELD(device), FIELD(kernels), FIELD(via);
}

template <class F> void fields(F f, Holder *) {
  using S = Holder;
  FIELD(site), FIELD(caller), FIELD(variable), FIELD(memory), FIELD(bytes), FIELD(count);
}

template <class F> void fields(F f, Allocations *) {
  using S = Allocations;
  FIELD(site), FIELD(variable), FIELD(memory), FIELD(caller), FIELD(device), FIELD(count);
  FIELD(bytes), FIELD(peak_bytes), FIELD(live_count), FIELD(live_bytes);
}

template <class F> void fields(F f, KernelUse *) {
  using S = KernelUse;
  FIELD(site), FIELD(access);
}

template <class F> void fields(F f, Finding *) {
  using S = Finding;
  FIELD(pattern), FIELD(grade), FIELD(site), FIELD(caller), FIELD(related), FIELD(variable);
  FIELD(type), FIELD(memory), FIELD(count), FIELD(bytes), FIELD(elements), FIELD(cost_ns);
  FIELD(direction), FIELD(source), FIELD(checked), FIELD(unchanged), FIELD(host_checked),
      FIELD(last_look_ns), FIELD(counted), FIELD(kernels), FIELD(more_kernels), FIELD(error),
      FIELD(message), FIELD(fix), FIELD(suppressed), FIELD(suppression), FIELD(holders);
}

template <class F> void fields(F f, Image *) {
  using S = Image;
  FIELD(path), FIELD(instrumented), FIELD(sites), FIELD(sites_run), FIELD(unseen_calls),
      FIELD(trusted);
}

template <class F> void fields(F f, Audit *) {
  using S = Audit;
  FIELD(mode), FIELD(eligible), FIELD(eligible_bytes), FIELD(verified), FIELD(verified_bytes);
  FIELD(skipped_budget), FIELD(skipped_busy), FIELD(skipped_capture), FIELD(skipped_full),
      FIELD(skipped_device);
  FIELD(skipped_unreadable), FIELD(transfers), FIELD(transfer_bytes), FIELD(transfer_ns);
  FIELD(judged), FIELD(judged_bytes), FIELD(judged_ns);
}

template <class F> void fields(F f, Coverage *) {
  using S = Coverage;
  FIELD(images), FIELD(vendor), FIELD(addresses_taken), FIELD(sites), FIELD(sites_run);
  FIELD(foreign_operations), FIELD(audit), FIELD(notes);
}

template <class F> void fields(F f, Suppression *) {
  using S = Suppression;
  FIELD(rule), FIELD(origin), FIELD(used), FIELD(exceeded);
}

template <class F> void fields(F f, Spread *) {
  using S = Spread;
  FIELD(min), FIELD(avg), FIELD(max), FIELD(min_rank), FIELD(max_rank), FIELD(imbalance_percent);
}

template <class F> void fields(F f, MergedSite *) {
  using S = MergedSite;
  FIELD(site), FIELD(ranks), FIELD(host_ns), FIELD(calls), FIELD(bytes);
}

template <class F> void fields(F f, MergedFinding *) {
  using S = MergedFinding;
  FIELD(finding), FIELD(ranks), FIELD(rank_list), FIELD(count), FIELD(bytes);
}

template <class F> void fields(F f, Merged *) {
  using S = Merged;
  FIELD(processes), FIELD(hosts), FIELD(wall_ns), FIELD(host_ns), FIELD(peak_bytes);
  FIELD(sites), FIELD(findings);
}

template <class F> void fields(F f, GpuShare *) {
  using S = GpuShare;
  FIELD(device), FIELD(method), FIELD(wall_ns), FIELD(kernels_ns), FIELD(h2d_ns), FIELD(d2h_ns);
  FIELD(d2d_ns), FIELD(set_ns), FIELD(idle_startup_ns), FIELD(idle_copies_ns);
  FIELD(idle_allocation_ns), FIELD(idle_launch_ns), FIELD(idle_sync_ns), FIELD(idle_host_ns);
  FIELD(overlap_ns), FIELD(overlap_possible_ns), FIELD(idle_unknown_ns), FIELD(sum_ns);
  FIELD(ci_ns), FIELD(untimed), FIELD(unseen), FIELD(at_most), FIELD(overlapped);
}

template <class F> void fields(F f, HostShare *) {
  using S = HostShare;
  FIELD(name), FIELD(ns);
}

template <class F> void fields(F f, IdleGap *) {
  using S = IdleGap;
  FIELD(cause), FIELD(from), FIELD(to), FIELD(count), FIELD(ns);
}

template <class F> void fields(F f, Breakdown *) {
  using S = Breakdown;
  FIELD(gpus), FIELD(host), FIELD(idle);
}

template <class F> void fields(F f, Phase *) {
  using S = Phase;
  FIELD(name), FIELD(instances), FIELD(total_ns), FIELD(looked_at), FIELD(calls_ns);
  FIELD(device_ns), FIELD(device_known), FIELD(idle_ns), FIELD(idle_known);
}

template <class F> void fields(F f, ClockReasonCount *) {
  using S = ClockReasonCount;
  FIELD(reason), FIELD(readings);
}

template <class F> void fields(F f, Power *) {
  using S = Power;
  FIELD(device), FIELD(from_ns), FIELD(covered_ns), FIELD(readings), FIELD(energy_mj);
  FIELD(average_mw), FIELD(peak_mw), FIELD(utilisation_percent), FIELD(sm_mhz);
  FIELD(sm_mhz_min), FIELD(sm_mhz_max), FIELD(held_back);
}

template <class F> void fields(F f, Profile *) {
  using S = Profile;
  FIELD(process), FIELD(devices), FIELD(sites), FIELD(findings), FIELD(peak_holders);
  FIELD(allocations), FIELD(breakdown), FIELD(phases), FIELD(power), FIELD(coverage),
      FIELD(suppressions), FIELD(cuda_used), FIELD(paused);
  FIELD(merged);
}
#undef FIELD

} // namespace gpuinstr::profile

#endif
