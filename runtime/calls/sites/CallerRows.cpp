// Sites that no descriptor of the program stands for: a wrapper's call, for each line that uses it,
// and chains of callers.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/CallerRows.h"
#include "base/Guard.h"
#include "base/Hash.h"
#include "calls/sites/UserWords.h"
#include "calls/threads/Thread.h"
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

namespace gpuinstr {

/// How such a site came about.
struct SiteLinks {
  SiteIndex user = 0; ///< of a wrapper's row: where it stands
  SiteIndex next = 0; ///< of a caller: who called its function
  bool reachesUser = true;
  unsigned numVia = 0;
  SiteIndex via[GPUINSTR_MAX_CALLERS] = {}; ///< the CUDA call first
};

namespace {

/// By the two sites that make it. Nodes are added, never moved or removed: readers need no lock.
struct Node {
  uint64_t key;
  SiteIndex index;
  Node *next;
};
constexpr unsigned BucketBits = 12;
std::atomic<Node *> Buckets[1 << BucketBits];

uint64_t keyOf(SiteIndex first, SiteIndex second) { return uint64_t(first) << 32 | second; }

std::atomic<Node *> &bucketOf(uint64_t key) {
  return Buckets[key * 0x9e3779b97f4a7c15u >> (64 - BucketBits)];
}

SiteIndex find(const Node *from, uint64_t key) {
  for (; from; from = from->next)
    if (from->key == key)
      return from->index;
  return 0;
}

/// Two threads that come at once may make two of the same place: the profile unites them.
SiteIndex add(uint64_t key, const gpuinstr_site *site, const SiteLinks &links) {
  SiteIndex index = indexOf(site);
  SiteInfo *info = siteInfo(index);
  if (!info)
    return 0;
  info->links.store(new SiteLinks(links), std::memory_order_release);
  std::atomic<Node *> &bucket = bucketOf(key);
  auto *node = new Node{key, index, bucket.load(std::memory_order_relaxed)};
  while (!bucket.compare_exchange_weak(node->next, node, std::memory_order_release))
    ;
  return index;
}

/// The site `of`, changed by `change`, which gets `with`; found by `of` and `way`. 0: memory or
/// indices are out.
template <class Change>
SiteIndex add(ThreadState &thread, SiteIndex of, SiteIndex with, SiteIndex way,
              const SiteLinks &links, Change change) {
  SiteIndex added = 0;
  BusyScope busy(thread);
  UncancelledScope uncancelled;
  guarded([&] {
    gpuinstr_site *copy = nullptr;
    {
      SitesLock lock; // a module that is being unloaded would take the texts with it
      const gpuinstr_site *inner = siteAt(of), *outer = siteAt(with);
      if (!inner || !outer)
        return;
      gpuinstr_site changed = {};
      std::memcpy(&changed, inner, std::min<size_t>(inner->size, sizeof changed));
      changed.index = 0;
      changed.id = hashMix(outer->id, inner->id);
      change(changed, *outer);
      copy = copyOf(changed);
    }
    added = add(keyOf(of, way), copy, links);
  });
  return added;
}

SiteIndex known(SiteIndex first, SiteIndex second) {
  uint64_t key = keyOf(first, second);
  return find(bucketOf(key).load(std::memory_order_acquire), key);
}

/// Which line has the member that keeps what the call makes and its function returns. `user`: none
/// before that one.
unsigned keptAt(const gpuinstr_frame &frame, unsigned user) {
  constexpr uint32_t Mask = GPUINSTR_SITE_RECEIVES | GPUINSTR_SITE_LOCAL;
  const gpuinstr_site &call = *frame.site;
  const bool makes = call.op == GPUINSTR_OP_ALLOC || call.op == GPUINSTR_OP_CREATE;
  if (!makes || call.flags & Mask || isMember(call.variable))
    return user;
  for (unsigned i = 0; i < user && (frame.callers[i]->flags & Mask) == GPUINSTR_SITE_RECEIVES; ++i)
    if (isMember(frame.callers[i]->variable) && !isConstructor(frame.callers[i]->callee))
      return i;
  return user;
}

/// The variable that a wrapper's call fills, as the user of the wrapper, or of one around it, has
/// it. Empty: nobody knows.
std::string filledBy(const gpuinstr_frame &frame, unsigned user) {
  const gpuinstr_site *inside = frame.site;
  unsigned first = 0;
  if (!(inside->flags & GPUINSTR_SITE_THROUGH)) {
    first = keptAt(frame, user);
    if (first == user)
      return "";
    inside = frame.callers[first++];
  }
  std::string told = inside->variable;
  for (unsigned i = first; i <= user && !told.empty(); inside = frame.callers[i++]) {
    const gpuinstr_site &line = *frame.callers[i];
    if (isMember(told)) // one wrapper made it for a member
      told = memberAt(line, told);
    else if (inside->flags & GPUINSTR_SITE_THROUGH)
      told = namedAt(line, *inside, told);
    else
      told.clear();
    if (line.variable == "this->" + told) // of `&weights`, where that is a member
      told = line.variable;
  }
  return told;
}

/// The caller as one that was called by `next`.
SiteIndex linkOf(ThreadState &thread, SiteIndex caller, SiteIndex next) {
  if (SiteIndex link = known(caller, next))
    return link;
  SiteLinks links;
  links.next = next;
  return add(thread, caller, next, next, links, [](gpuinstr_site &, const gpuinstr_site &) {});
}

/// A copy or set whose operands, or objects that have them, the lines in between hand on by name:
/// the outer wrapper may call the inner one for two of them.
bool isNamedOnTheWay(const gpuinstr_frame &frame, unsigned user) {
  if (user == 0 || frame.site->op < GPUINSTR_OP_COPY || frame.site->op > GPUINSTR_OP_SET_2D)
    return false;
  bool tells = false;
  for (unsigned i = 0; i < user; ++i) {
    const gpuinstr_site &line = *frame.callers[i];
    if (!(line.flags & GPUINSTR_SITE_NAMES))
      return false;
    tells |= line.num_arguments != 0 || *line.variable;
  }
  return tells;
}

/// Of a call that fills what it was given, or what a member keeps: the wrapper may do so twice.
/// Else the user's line alone.
SiteIndex wayTo(ThreadState &thread, const gpuinstr_frame &frame, unsigned user) {
  SiteIndex way = indexOf(frame.callers[user]);
  if ((frame.site->flags & GPUINSTR_SITE_THROUGH) || isNamedOnTheWay(frame, user) ||
      keptAt(frame, user) < user)
    for (unsigned i = user; i-- > 0;)
      if (SiteIndex linked = linkOf(thread, indexOf(frame.callers[i]), way))
        way = linked;
  return way;
}

/// Whether the variable that a copy goes to, or what that is a part of, is the function's result,
/// which the user's line receives.
bool isReceived(const gpuinstr_site &call, const gpuinstr_site &line, bool reachesUser) {
  return call.op >= GPUINSTR_OP_COPY && call.op <= GPUINSTR_OP_SET_2D && reachesUser &&
         call.flags & line.flags & GPUINSTR_SITE_RECEIVES && *line.variable;
}

/// What the call does, and where it is used.
SiteIndex rowOf(ThreadState &thread, const gpuinstr_frame &frame, unsigned user) {
  SiteIndex call = indexOf(frame.site), at = indexOf(frame.callers[user]);
  const SiteIndex way = wayTo(thread, frame, user);
  if (SiteIndex row = known(call, way))
    return row;
  SiteLinks links;
  links.user = at;
  if (!(frame.site->flags & GPUINSTR_SITE_CHARGE_CALLER))
    links.via[links.numVia++] = call;
  for (unsigned i = 0; i < user; ++i) {
    links.via[links.numVia++] = indexOf(frame.callers[i]);
    constexpr uint32_t Mask = GPUINSTR_SITE_RECEIVES | GPUINSTR_SITE_LOCAL;
    links.reachesUser &= (frame.callers[i]->flags & Mask) == GPUINSTR_SITE_RECEIVES;
  }
  std::string variable, callee;
  const std::string filled = filledBy(frame, user);
  std::vector<std::string> arguments;
  std::vector<const char *> texts;
  return add(thread, call, at, way, links, [&](gpuinstr_site &row, const gpuinstr_site &line) {
    UserWords words(row, frame.callers, user, user == 0 || isNamedOnTheWay(frame, user));
    if (isReceived(row, line, links.reachesUser))
      words.addResult(row.variable, line.variable);
    variable = words.ofVariable(row.variable);
    for (unsigned i = 0; i < row.num_arguments; ++i)
      arguments.push_back(words.ofArgument(row.arguments[i]));
    for (const std::string &argument : arguments)
      texts.push_back(argument.c_str());
    row.variable = variable.c_str();
    if (row.op == GPUINSTR_OP_LAUNCH) // of a kernel that was given: its name
      row.callee = (callee = words.of(row.callee)).c_str();
    row.flags &=
        ~uint32_t(GPUINSTR_SITE_WRAPPER | GPUINSTR_SITE_CHARGE_CALLER | GPUINSTR_SITE_THROUGH);
    if (!filled.empty()) {
      row.variable = filled.c_str();
      const char *const *name = line.flags & GPUINSTR_SITE_THROUGH ? parametersOf(line) : nullptr;
      if (name) { // the user may fill its caller's
        row.flags |= GPUINSTR_SITE_THROUGH;
        for (; *name; ++name)
          texts.push_back(*name);
        texts.push_back(nullptr);
      }
    }
    row.arguments = texts.data();
    row.flags |= line.flags & GPUINSTR_SITE_EXCLUDED;
    row.file = line.file;
    row.line = line.line;
    row.column = line.column;
    row.function = line.function;
  });
}

const SiteLinks *linksOf(SiteIndex site) {
  const SiteInfo *info = siteInfo(site);
  return info ? info->links.load(std::memory_order_acquire) : nullptr;
}

} // namespace

std::string variableAt(SiteIndex caller, const gpuinstr_site &call) {
  std::string told = call.variable, known;
  const gpuinstr_site *inside = &call;
  for (; caller && inside->flags & GPUINSTR_SITE_THROUGH; caller = nextCaller(caller)) {
    const gpuinstr_site *line = siteAt(caller);
    told = line ? namedAt(*line, *inside, told) : "";
    if (told.empty())
      break;
    known = told;
    inside = line;
  }
  return known;
}

void attributeToCallers(ThreadState &thread, const gpuinstr_frame &frame) {
  RootCall &root = thread.root;
  unsigned number = 1, first = 0;
  if (!(frame.site->flags & GPUINSTR_SITE_LAST_CALLER))
    while (number < GPUINSTR_MAX_CALLERS && frame.callers[number] &&
           !(frame.callers[number - 1]->flags & GPUINSTR_SITE_LAST_CALLER))
      ++number;
  root.site = 0;
  if (frame.site->flags & (GPUINSTR_SITE_CHARGE_CALLER | GPUINSTR_SITE_WRAPPER)) {
    while (first + 1 < number && (frame.callers[first]->flags & GPUINSTR_SITE_WRAPPER))
      ++first;
    root.site = rowOf(thread, frame, first);
  }
  if (!root.site)
    root.site = indexOf(frame.site);
  SiteIndex caller = 0;
  for (unsigned i = number; i-- > first;) {
    SiteIndex own = indexOf(frame.callers[i]);
    SiteIndex linked = caller ? linkOf(thread, own, caller) : own;
    caller = linked ? linked : own;
  }
  root.caller = caller;
}

std::vector<SiteIndex> viaOf(SiteIndex site) {
  std::vector<SiteIndex> via;
  if (const SiteLinks *links = linksOf(site))
    via.assign(std::make_reverse_iterator(links->via + links->numVia),
               std::make_reverse_iterator(links->via));
  return via;
}

SiteIndex userOf(SiteIndex site) {
  const SiteLinks *links = linksOf(site);
  return links ? links->user : 0;
}

bool reachesUser(SiteIndex site) {
  const SiteLinks *links = linksOf(site);
  return !links || links->reachesUser;
}

SiteIndex callerBeyond(SiteIndex site, SiteIndex caller) {
  return userOf(site) ? nextCaller(caller) : caller;
}

SiteIndex nextCaller(SiteIndex caller) {
  const SiteLinks *links = linksOf(caller);
  return links ? links->next : 0;
}

} // namespace gpuinstr
