// Sites that no descriptor of the program stands for: a wrapper's call, for each line that uses it,
// and chains of callers.
// SPDX-License-Identifier: Apache-2.0
#include "calls/sites/CallerRows.h"
#include "base/Guard.h"
#include "base/Hash.h"
#include "calls/threads/Thread.h"
#include <algorithm>
#include <cctype>
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

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The letters, digits and underscores that begin there.
std::string_view wordAt(std::string_view text, size_t at = 0) {
  size_t end = at;
  while (end < text.size() && isWord(text[end]))
    ++end;
  return text.substr(at, end - at);
}

/// Buffer<float>::Buffer
bool isConstructor(std::string_view callee) {
  size_t colons = callee.rfind("::");
  if (colons == callee.npos)
    return false;
  std::string_view name = callee.substr(colons + 2), type = callee.substr(0, colons);
  type = type.substr(0, type.find('<'));
  return !name.empty() && type.size() >= name.size() &&
         type.substr(type.size() - name.size()) == name &&
         (type.size() == name.size() || !isWord(type[type.size() - name.size() - 1]));
}

/// The names of its function's parameters, up to a null; nullptr unknown.
const char *const *parametersOf(const gpuinstr_site &site) {
  return site.arguments && namesParameters(site) ? site.arguments + site.num_arguments : nullptr;
}

/// Field of Field::create; empty: of no class.
std::string_view classOf(std::string_view function) {
  const size_t colons = function.rfind("::");
  return colons == function.npos ? "" : function.substr(0, colons);
}

/// create() in another function of Field.
bool isOfSameObject(const gpuinstr_site &line) {
  const std::string_view name = classOf(line.callee);
  return !*line.variable && !name.empty() && name == classOf(line.function);
}

/// What is written inside the wrapper, in the words of the line that uses it.
class UserWords {
public:
  /// lines: that which calls the function that has the call, and so on, up to the user's.
  /// isNamed: they say what each function's parameters are.
  UserWords(const gpuinstr_site &call, const gpuinstr_site *const *lines, unsigned user,
            bool isNamed) {
    const gpuinstr_site &line = *lines[user];
    if (!(line.flags & GPUINSTR_SITE_RECEIVES) || isConstructor(line.callee))
      Object = &line;
    bool isOfObject = true; // the functions in between call others of the same object
    for (unsigned i = isNamed ? user + 1 : 0; i-- > 0;) {
      if (!enter(i ? *lines[i - 1] : call, *lines[i], i < user && isOfObject)) {
        Words.clear(); // those of some function in between
        break;
      }
      isOfObject &= i == user || isOfSameObject(*lines[i]);
    }
  }

  /// What the call's function returns, of which `part` is a part, becomes `receiver`.
  void addResult(std::string_view part, std::string_view receiver) {
    Words.emplace_back(wordAt(part), receiver);
  }

  /// Whether the text begins with something that the line gives, behind `*`.
  bool isGiven(std::string_view text) const {
    text.remove_prefix(text.substr(0, 1) == "*");
    return std::any_of(Words.begin(), Words.end(),
                       [first = wordAt(text)](const auto &word) { return word.first == first; });
  }

  /// `weights.data()` for `h.data()`, `grid.u` for `g->u` and `grid->u` for `(*g)->u`, where g is
  /// `&grid`.
  std::string of(std::string_view text) const {
    std::string told;
    for (size_t at = 0; at < text.size();) {
      const std::string_view word = wordAt(text, at);
      size_t end = at + word.size();
      char before = told.empty() ? ' ' : told.back();
      std::string pointed = before == '*' && text.substr(end, 1) == ")" ? given(word) : "";
      if (word.empty()) {
        told += text[end++];
      } else if (told.size() > 1 && told[told.size() - 2] == '(' && pointed[0] == '&') {
        told.replace(told.size() - 2, 2, pointed, 1);
        ++end;
      } else
        told += before == '.' || before == '>' || before == ':' ? std::string(word)
                                                                : member(given(word), text, end);
      at = end;
    }
    return told.compare(0, 2, "*&") == 0 ? told.substr(2) : told;
  }
  /// `grid.halo` for `this->halo`.
  std::string ofVariable(std::string_view text) const {
    const bool isOfObject = text.substr(0, 6) == "this->" && Object && *Object->variable;
    return isOfObject ? memberOf(*Object, text.substr(6)) : of(text);
  }
  /// As the source has it, where nobody knows the object.
  std::string ofArgument(std::string_view text) const {
    std::string told = ofVariable(text);
    return told.compare(0, 6, "this->") == 0 ? told.substr(6) : told;
  }

private:
  /// From the words of the line's function to those of the one that it calls, which has `inside`.
  /// False: what its parameters are called is not known.
  bool enter(const gpuinstr_site &inside, const gpuinstr_site &line, bool isOfObject) {
    const char *const *names = parametersOf(inside);
    if (!names)
      return false;
    std::vector<std::pair<std::string_view, std::string>> words;
    for (unsigned i = 0; names[i] && i < line.num_arguments; ++i)
      if (*names[i])
        words.emplace_back(names[i],
                           isOfObject ? ofVariable(line.arguments[i]) : of(line.arguments[i]));
    Words = std::move(words);
    return true;
  }

  /// Whether operators stand outside of parentheses: `base + n`, not `f(a + b)`.
  static bool isCompound(std::string_view text) {
    int depth = 0;
    for (char c : text) {
      depth += c == '(' || c == '[';
      depth -= c == ')' || c == ']';
      if (c == ' ' && depth == 0)
        return true;
    }
    return false;
  }

  /// `object`, and behind it the operator that is at text[end], as one writes them together.
  static std::string member(std::string object, std::string_view text, size_t &end) {
    const bool isArrow = text.substr(end, 2) == "->";
    if (object.empty() || (!isArrow && text.substr(end, 1) != "."))
      return object;
    end += isArrow ? 2 : 1;
    const bool isPrefixed = object[0] == '&' || object[0] == '*', isOpen = isCompound(object);
    if (isPrefixed && !isOpen && (object[0] == '&') == isArrow)
      return object.substr(1) + (isArrow ? "." : "->");
    return (isPrefixed || isOpen ? "(" + object + ")" : object) + (isArrow ? "->" : ".");
  }

  std::string given(std::string_view word) const {
    for (const auto &[name, argument] : Words)
      if (name == word)
        return argument;
    return std::string(word);
  }

  const gpuinstr_site *Object = nullptr;
  std::vector<std::pair<std::string_view, std::string>> Words;
};

SiteIndex known(SiteIndex first, SiteIndex second) {
  uint64_t key = keyOf(first, second);
  return find(bucketOf(key).load(std::memory_order_acquire), key);
}

/// Of (void **)&d_x and reinterpret_cast<void **>(&d_x): d_x.
std::string withoutCast(std::string told) {
  const size_t cast = told.rfind(")&"), named = told.rfind(">(&");
  if (told.compare(0, 2, "*(") == 0 && cast != told.npos)
    return told.substr(cast + 2);
  if (named != told.npos && told.back() == ')')
    return told.substr(named + 3, told.size() - named - 4);
  return told;
}

/// What the call's function names so, in the words of the line that called it. Empty: nobody knows.
std::string namedAt(const gpuinstr_site &line, const gpuinstr_site &call, std::string_view text) {
  const gpuinstr_site *const lines[] = {&line};
  const UserWords words(call, lines, 0, true);
  return words.isGiven(text) ? withoutCast(words.of(text)) : "";
}

/// `line.weights` for `this->weights` of the object whose function the line calls; as it is, where
/// that is the line's own. Empty: which object that is, nobody knows.
std::string memberAt(const gpuinstr_site &line, std::string_view member) {
  if (isOfSameObject(line))
    return std::string(member);
  const bool isObject = !(line.flags & GPUINSTR_SITE_RECEIVES) || isConstructor(line.callee);
  return isObject && *line.variable ? memberOf(line, member.substr(6)) : "";
}

bool isMember(std::string_view variable) { return variable.substr(0, 6) == "this->"; }

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

/// A copy or set whose operands the lines in between hand on by name: the outer wrapper may call
/// the inner one for two of them.
bool isNamedOnTheWay(const gpuinstr_frame &frame, unsigned user) {
  if (user == 0 || frame.site->op < GPUINSTR_OP_COPY || frame.site->op > GPUINSTR_OP_SET_2D)
    return false;
  uint32_t arguments = 0;
  for (unsigned i = 0; i < user; ++i) {
    if (!(frame.callers[i]->flags & GPUINSTR_SITE_NAMES))
      return false;
    arguments += frame.callers[i]->num_arguments;
  }
  return arguments != 0;
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

bool constructs(const gpuinstr_site &line) {
  return (line.flags & GPUINSTR_SITE_RECEIVES) && isConstructor(line.callee);
}

std::string memberOf(const gpuinstr_site &line, std::string_view member) {
  std::string object = line.variable;
  const bool isPrefixed = object[0] == '*' || object[0] == '&';
  return (isPrefixed ? "(" + object + ")" : object) +
         (line.flags & GPUINSTR_SITE_NEW ? "->" : ".") + std::string(member);
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
