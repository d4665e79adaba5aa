// The place in the program that a driver call comes from, and the site that stands for it.
// SPDX-License-Identifier: Apache-2.0
#include "attach/Place.h"
#include "attach/native/Native.h"
#include "attach/python/Python.h"
#include "attach/python/PythonCheck.h"
#include "attach/source/Lock.h"
#include "attach/source/SourceLine.h"
#include "base/HotCode.h"
#include <cstring>
#include <unordered_map>
#include <vector>

namespace gpuinstr::attach {

namespace {

struct SiteKey {
  const void *what = nullptr; ///< the function, or nullptr: a line that calls one
  uint64_t place = 0;
  bool python = false;
  const char *variable = nullptr;

  bool operator==(const SiteKey &o) const {
    return what == o.what && place == o.place && python == o.python && variable == o.variable;
  }
};
struct SiteHash {
  size_t operator()(const SiteKey &key) const {
    return (key.place ^ reinterpret_cast<uint64_t>(key.what) << 5) * 0x9e3779b97f4a7c15u >> 7;
  }
};

struct Store {
  std::unordered_map<SiteKey, gpuinstr_site *, SiteHash> sites;
  /// Of compiled code with lines: a call that was inlined or copied to several addresses is one.
  std::unordered_map<std::string, gpuinstr_site *> byText;
  std::unordered_map<uint64_t, uint32_t> ordinals; ///< of sites with equal texts
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

/// A call from a place that was met before costs one look into this.
constexpr unsigned CacheBits = 8;
struct Cached {
  uint64_t what = 0; ///< the function, and what kind the places are of
  uint64_t place = 0, caller = 0;
  const char *variable = nullptr;
  Sites sites;
};
thread_local Cached Cache[1 << CacheBits];

const char *keep(const std::string &text) { return text.empty() ? "" : strdup(text.c_str()); }

uint64_t hashText(uint64_t hash, const std::string &text) {
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  return hash * 0x9e3779b97f4a7c15u;
}

/// `gpuinstr-ignore: <id> reason` behind the line's comment sign.
std::string ignoreIn(const std::string &source) {
  constexpr const char *Mark = "gpuinstr-ignore:";
  size_t at = source.find(Mark);
  if (at == std::string::npos)
    return "";
  at = source.find_first_not_of(" \t", at + std::strlen(Mark));
  return at == std::string::npos ? "" : source.substr(at);
}

bool namesVariable(unsigned op) {
  return op == GPUINSTR_OP_ALLOC || op == GPUINSTR_OP_CREATE || op == GPUINSTR_OP_SET ||
         (op >= GPUINSTR_OP_COPY && op <= GPUINSTR_OP_COPY_BATCH);
}

/// What tells a site of compiled code from others; "" its address does.
std::string textKey(const gpuinstr_site &site, uint32_t column) {
  std::string key;
  if (site.line && column)
    for (const char *part : {site.file, site.function, site.callee, site.variable})
      key.append(part).append(1, '\0');
  return key.empty() ? key : key + std::to_string(site.line) + ':' + std::to_string(column);
}

gpuinstr_site *describe(const DriverCall *call, PlaceKey place, const std::string &called,
                        const char *variable, std::string &key) {
  PlaceText text;
  if (place.value)
    text = place.python ? pythonText(place) : nativeText(place);
  if (text.function.empty())
    text.function = "unknown code";
  auto *site = new gpuinstr_site{};
  site->size = sizeof *site;
  site->line = text.line;
  site->file = keep(text.file);
  site->function = keep(text.function);
  site->variable = site->type = "";
  bool isHandle =
      call && (call->resource == GPUINSTR_RES_STREAM || call->resource == GPUINSTR_RES_EVENT);
  // Streams and events are made by the libraries under a Python line and by their own threads,
  // which keep them to use them again.
  site->ignore = keep(isHandle && (place.python || isLibrary(place))
                          ? "leak kept by a library, to be used again"
                          : ignoreIn(text.source));
  static const char *const noArguments[] = {nullptr};
  site->arguments = noArguments;
  if (call) {
    site->op = call->op;
    site->resource = call->resource;
    site->flags = call->flags;
    site->detail = call->detail;
    site->slots = call->slots;
    site->callee = keep(call->name + (text.via.empty() ? "" : " via " + text.via));
    if (variable)
      site->variable = variable;
    else if (namesVariable(call->op))
      site->variable = keep(variableIn(text.source, place.python));
  } else {
    site->op = GPUINSTR_OP_CALLER;
    site->callee = keep(called);
    site->variable = keep(assignedIn(text.source));
    if (*site->variable)
      site->flags = GPUINSTR_SITE_RECEIVES;
  }
  site->id = hashText(hashText(hashText(0, text.function), site->callee), site->variable);
  key = textKey(*site, text.column) + (call ? "" : "<");
  return site;
}

const gpuinstr_site *find(const SiteKey &key, const DriverCall *call, PlaceKey place,
                          const char *called, const char *variable) {
  Store &s = store();
  gpuinstr_site *site = nullptr;
  {
    TablesLock lock(tablesMutex());
    auto known = s.sites.find(key);
    if (known != s.sites.end())
      site = known->second;
  }
  if (!site) {
    std::string text;
    gpuinstr_site *fresh = describe(call, place, called, variable, text);
    TablesLock lock(tablesMutex());
    auto [at, added] = s.sites.try_emplace(key, fresh);
    if (added && text.size() > 1)
      at->second = s.byText.try_emplace(std::move(text), fresh).first->second;
    if (at->second == fresh && added)
      fresh->id += s.ordinals[fresh->id]++ * 0x9e3779b97f4a7c15u;
    site = at->second; // of two that come at once, or are alike, the second one's is left lying
  }
  return site;
}

__attribute__((noinline)) Sites findBoth(const DriverCall &call, const Places &places,
                                         const char *variable) {
  PlaceKey place = places.place, caller = places.caller;
  if (PlaceKey around = inlinedInto(place); around.value)
    caller = around;
  Sites sites;
  sites.site = find({&call.name, place.value, place.python, variable}, &call, place, "", variable);
  if (caller.value)
    sites.caller = find({nullptr, caller.value, caller.python, nullptr}, nullptr, caller,
                        sites.site->function, nullptr);
  return sites;
}

} // namespace

Places currentPlaces(AttachedThread &thread, const DriverCall &call, const StackPosition &from) {
  bool allocates = call.op == GPUINSTR_OP_ALLOC, again = call.comesAgain;
  if (allocates) // a library that was loaded now begins with that, and it is seldom
    noteUnloads();
  auto native = [&](WalkFor wanted) {
    return again ? nativePlacesAgain(thread.native, from, wanted, &call)
                 : nativePlaces(thread.native, from, wanted);
  };
  if (!pythonIsHere()) {
    Places places = native(WalkFor::PlaceAndCaller);
    if (pythonRuns()) // of a version that is not known
      places.ofLibrary = true, places.caller = {}, places.kept = nullptr;
    return places;
  }
  PythonPlaces python =
      again ? pythonPlacesAgain(thread.python, &call) : pythonPlaces(thread.python);
  Places places;
  if (!python.user.value)
    places = native(allocates ? WalkFor::PlaceAndCaller : WalkFor::Place);
  else if (allocates)
    places = native(WalkFor::Pool);
  if (python.user.value)
    places.place = python.user, places.kept = python.kept;
  else
    places.ofLibrary = true;
  places.caller = python.caller;
  if (!places.pool)
    places.pool = python.keeper;
  return places;
}

GPUINSTR_HOT bool sitesAgain(AttachedThread &thread, const DriverCall &call,
                             const StackPosition &from, KnownSites &known) {
  if (!call.comesAgain)
    return false;
  const KeptSites *kept = nullptr;
  if (pythonIsHere()) {
    PythonSites python = pythonSitesAgain(thread.python, &call);
    if (python.answer == PythonSites::Unknown)
      return false;
    kept = python.sites;
    known.ofLibrary = python.answer == PythonSites::NoFrame;
    if (known.ofLibrary)
      kept = nativeSitesAgain(thread.native, from, WalkFor::Place, &call);
  } else if (!pythonRuns()) {
    kept = nativeSitesAgain(thread.native, from, WalkFor::PlaceAndCaller, &call);
  }
  if (UNLIKELY(!kept || !kept->site || kept->variable))
    return false;
  known.sites = {kept->site, kept->caller};
  return true;
}

Sites sitesOf(const DriverCall &call, const Places &found, const char *variable) {
  if (found.kept && found.kept->site && found.kept->variable == variable)
    return {found.kept->site, found.kept->caller};
  Places places = found;
  if (places.ofLibrary)
    places.place = libraryOf(places.place);
  uint64_t what = reinterpret_cast<uint64_t>(&call) << 3 | uint64_t(places.caller.python) << 2 |
                  uint64_t(places.place.python) << 1;
  uint64_t hash = (places.place.value ^ places.caller.value << 21 ^ what) * 0x9e3779b97f4a7c15u;
  Cached &cached = Cache[hash >> (64 - CacheBits)];
  if (__builtin_expect(cached.what != what || cached.place != places.place.value ||
                           cached.caller != places.caller.value || cached.variable != variable,
                       false)) {
    cached.sites = findBoth(call, places, variable);
    cached.variable = variable;
    cached.what = what;
    cached.place = places.place.value;
    cached.caller = places.caller.value;
  }
  if (places.kept)
    *places.kept = {cached.sites.site, cached.sites.caller, variable};
  return cached.sites;
}

void forgetPythonSites() {
  TablesLock lock(tablesMutex());
  for (auto &[key, site] : store().sites)
    if (key.python) {
      site->line = 0;
      site->file = site->variable = "";
      site->function = "unknown Python code";
    }
}

} // namespace gpuinstr::attach
