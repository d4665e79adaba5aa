// The profile as JSON of docs/profile.schema.json.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Json.h"
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace gpuinstr::profile {

namespace {

using Json = nlohmann::ordered_json; // keys stay in the order of the structs

// One list of fields per struct serves both directions. The key is the member's name.
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

template <class F> void fields(F f, Process *) {
  using S = Process;
  FIELD(pid), FIELD(exe), FIELD(args), FIELD(host), FIELD(rank), FIELD(rank_source);
  FIELD(wall_ns), FIELD(recorded_ns), FIELD(ended), FIELD(exit_code), FIELD(startup_ns),
      FIELD(ending_ns), FIELD(own_cost_percent);
  FIELD(own_cupti_ns), FIELD(own_host_bytes), FIELD(own_device_bytes), FIELD(first_site),
      FIELD(startup);
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
  FIELD(arguments), FIELD(variable), FIELD(type), FIELD(caller), FIELD(memory), FIELD(calls);
  FIELD(failed), FIELD(bytes), FIELD(host), FIELD(device), FIELD(kernels);
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

template <class F> void fields(F f, Finding *) {
  using S = Finding;
  FIELD(pattern), FIELD(grade), FIELD(site), FIELD(caller), FIELD(related), FIELD(variable);
  FIELD(type), FIELD(memory), FIELD(count), FIELD(bytes), FIELD(elements), FIELD(cost_ns);
  FIELD(direction), FIELD(source), FIELD(checked), FIELD(unchanged), FIELD(error), FIELD(message),
      FIELD(fix), FIELD(suppressed), FIELD(suppression), FIELD(holders);
}

template <class F> void fields(F f, Image *) {
  using S = Image;
  FIELD(path), FIELD(instrumented), FIELD(sites), FIELD(sites_run);
}

template <class F> void fields(F f, Audit *) {
  using S = Audit;
  FIELD(mode), FIELD(eligible), FIELD(eligible_bytes), FIELD(verified), FIELD(verified_bytes);
  FIELD(skipped_budget), FIELD(skipped_busy), FIELD(skipped_capture), FIELD(skipped_device);
  FIELD(skipped_unreadable);
}

template <class F> void fields(F f, Coverage *) {
  using S = Coverage;
  FIELD(images), FIELD(vendor), FIELD(addresses_taken), FIELD(sites), FIELD(sites_run);
  FIELD(audit), FIELD(notes);
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

template <class F> void fields(F f, Breakdown *) {
  using S = Breakdown;
  FIELD(gpus), FIELD(host);
}

template <class F> void fields(F f, Profile *) {
  using S = Profile;
  FIELD(process), FIELD(devices), FIELD(sites), FIELD(findings), FIELD(peak_holders);
  FIELD(allocations), FIELD(breakdown), FIELD(coverage), FIELD(suppressions), FIELD(cuda_used),
      FIELD(paused);
  FIELD(merged);
}
#undef FIELD

Json write(bool value) { return value; }
Json write(const std::string &value) { return value; }
template <class E> Json write(const Named<E> &value) { return value.text(); }
Json write(double value) { return std::isfinite(value) ? value : 0.0; }
template <class T> std::enable_if_t<std::is_integral_v<T>, Json> write(T value) { return value; }
template <class T> Json write(const std::vector<T> &list);

template <class T> std::enable_if_t<std::is_class_v<T>, Json> write(const T &value) {
  Json out = Json::object();
  fields([&](const char *name, auto member) { out.emplace(name, write(value.*member)); },
         static_cast<T *>(nullptr));
  return out;
}

template <class T> Json write(const std::vector<T> &list) {
  Json out = Json::array();
  for (const T &item : list)
    out.push_back(write(item));
  return out;
}

// Readers return "" or "PATH: what was expected", built from the inside out.

std::string read(const Json &in, bool &out) {
  if (!in.is_boolean())
    return ": expected a boolean";
  out = in.get<bool>();
  return "";
}

std::string read(const Json &in, std::string &out) {
  if (!in.is_string())
    return ": expected a string";
  out = in.get<std::string>();
  return "";
}

template <class E> std::string read(const Json &in, Named<E> &out) {
  std::string text, wrong = read(in, text);
  if (wrong.empty())
    out = Named<E>::fromText(text);
  return wrong;
}

std::string read(const Json &in, double &out) {
  if (!in.is_number())
    return ": expected a number";
  out = in.get<double>();
  return "";
}

template <class T>
std::enable_if_t<std::is_integral_v<T>, std::string> read(const Json &in, T &out) {
  bool fits = false;
  if (in.is_number_unsigned())
    fits = in.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  else if (in.is_number_integer() && std::is_signed_v<T>)
    fits = in.get<int64_t>() >= static_cast<int64_t>(std::numeric_limits<T>::min());
  if (!fits)
    return std::is_signed_v<T> ? ": expected an integer in range"
                               : ": expected an unsigned integer in range";
  out = in.get<T>();
  return "";
}

template <class T> std::string read(const Json &in, std::vector<T> &out);

template <class T> std::enable_if_t<std::is_class_v<T>, std::string> read(const Json &in, T &out) {
  if (!in.is_object())
    return ": expected an object";
  std::string wrong;
  fields(
      [&](const char *name, auto member) {
        auto found = in.find(name);
        if (!wrong.empty() || found == in.end())
          return;
        wrong = read(*found, out.*member);
        if (!wrong.empty())
          wrong = "/" + (name + wrong);
      },
      static_cast<T *>(nullptr));
  return wrong;
}

template <class T> std::string read(const Json &in, std::vector<T> &out) {
  if (!in.is_array())
    return ": expected an array";
  for (const Json &item : in) {
    out.emplace_back();
    if (std::string wrong = read(item, out.back()); !wrong.empty())
      return "/" + std::to_string(out.size() - 1) + wrong;
  }
  return "";
}

/// Reads what toJson writes, many times faster than by way of a tree: keys in the order of the
/// fields, some may be missing. Anything else makes it give up, and the other readers decide.
class FastReader {
public:
  explicit FastReader(std::string_view text) : At(text.data()), End(At + text.size()) {}

  bool document(Profile &out) {
    std::string schema;
    int version = 0;
    return take('{') && key("schema") && value(schema) && schema == SchemaName && take(',') &&
           key("version") && value(version) && version >= 1 && version <= SchemaVersion &&
           members(out, false) && !peek();
  }

private:
  char peek() {
    while (At != End && (*At == ' ' || *At == '\n' || *At == '\t' || *At == '\r'))
      ++At;
    return At == End ? 0 : *At;
  }
  bool take(char c) {
    bool found = peek() == c;
    At += found;
    return found;
  }
  bool word(std::string_view text) {
    bool found = std::size_t(End - At) >= text.size() && text == std::string_view(At, text.size());
    At += found ? text.size() : 0;
    return found;
  }
  /// `"name":`; stays where it is when another key stands there.
  bool key(std::string_view name) {
    if (peek() != '"' || std::size_t(End - At) < name.size() + 3 || At[name.size() + 1] != '"' ||
        name != std::string_view(At + 1, name.size()))
      return false;
    At += name.size() + 2;
    return take(':');
  }

  bool value(bool &out) {
    out = peek() == 't';
    return word(out ? "true" : "false");
  }
  bool value(std::string &out) {
    if (!take('"'))
      return false;
    const char *begin = At;
    while (At != End && *At != '"') {
      if (*At == '\\' || static_cast<unsigned char>(*At - 32) > 126 - 32)
        return false; // escapes, control characters, what may not be UTF-8
      ++At;
    }
    out.assign(begin, At);
    return take('"');
  }
  template <class E> bool value(Named<E> &out) {
    std::string text;
    bool good = value(text);
    if (good)
      out = Named<E>::fromText(text);
    return good;
  }
  /// The digits of JSON's integers alone: no zero in front of others.
  template <class T> std::enable_if_t<std::is_arithmetic_v<T>, bool> value(T &out) {
    peek();
    const char *digits = At + (At != End && *At == '-');
    if (digits == End || *digits < '0' || *digits > '9' ||
        (*digits == '0' && digits + 1 != End && digits[1] >= '0' && digits[1] <= '9'))
      return false;
    auto [end, error] = std::from_chars(At, End, out);
    if (error != std::errc() || end[-1] < '0' || end[-1] > '9')
      return false; // too large, or "1."
    At = end;
    return std::is_floating_point_v<T> || At == End || (*At != '.' && *At != 'e' && *At != 'E');
  }
  template <class T> bool value(std::vector<T> &out) {
    if (!take('['))
      return false;
    if (take(']'))
      return true;
    do {
      out.emplace_back();
      if (!value(out.back()))
        return false;
    } while (take(','));
    return take(']');
  }
  template <class T> std::enable_if_t<std::is_class_v<T>, bool> value(T &out) {
    return take('{') && members(out, true);
  }
  template <class T> bool members(T &out, bool first) {
    bool good = true, comma = first || take(',');
    fields(
        [&](const char *name, auto member) {
          if (!good || !comma || !key(name))
            return;
          good = value(out.*member);
          first = false;
          comma = good && take(',');
        },
        static_cast<T *>(nullptr));
    return good && (!comma || first) && take('}');
  }

  const char *At, *End;
};

/// What is wrong with the head of the document, "" nothing.
std::string checkHead(const Json &in) {
  if (in.is_discarded())
    return "not JSON";
  if (!in.is_object())
    return "not an object";
  auto schema = in.find("schema"), version = in.find("version");
  if (schema == in.end() || !schema->is_string() || *schema != SchemaName)
    return std::string("schema is not ") + SchemaName;
  if (version == in.end() || !version->is_number_integer() || *version < 1)
    return "version is missing";
  if (*version > SchemaVersion)
    return "version " + version->dump() + " is newer than this gpuinstr's " +
           std::to_string(SchemaVersion);
  return "";
}

} // namespace

std::string toJson(const Profile &profile) {
  Json out = Json::object();
  out["schema"] = SchemaName;
  out["version"] = SchemaVersion;
  out.update(write(profile));
  if (profile.merged.processes == 0)
    out.erase("merged");
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool fromJson(std::string_view text, Profile &profile, std::string &error) {
  Profile fast, fresh;
  error.clear();
  if (FastReader(text).document(fast)) {
    profile = std::move(fast);
    return true;
  }
  Json in = Json::parse(text.begin(), text.end(), nullptr, false);
  error = checkHead(in);
  if (error.empty())
    error = read(in, fresh);
  if (!error.empty())
    return false;
  profile = std::move(fresh);
  return true;
}

} // namespace gpuinstr::profile
