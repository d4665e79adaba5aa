// Lines of Python, read on the calling thread without the interpreter's lock.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/Python.h"
#include "attach/python/KnownFrames.h"
#include "attach/python/PythonCheck.h"
#include "attach/python/PythonCode.h"
#include "attach/python/PythonCopies.h"
#include "attach/python/PythonGate.h"
#include "attach/source/SourceLine.h"
#include "base/HotCode.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <sched.h>

namespace gpuinstr::attach {

namespace {

constexpr unsigned DeepestWalk = 200;

/// Provisional: the self-check has not run yet, and every read is one that cannot fault.
enum class Stage { NotLooked, Saying, Absent, Waiting, Provisional, Checked, Off };

GPUINSTR_HOT_DATA std::atomic<Stage> Now{Stage::NotLooked};
GPUINSTR_HOT_DATA void *(*ThreadState)() = nullptr;
GPUINSTR_HOT_DATA alignas(64) PythonLayout Layout;
std::atomic<const char *> WhyOff{""};
int (*IsInitialized)() = nullptr;

/// What the last walk of this thread met below the user's frame.
thread_local const PythonCode *LastVia = nullptr;
thread_local const PythonCode *LastUser = nullptr;

void turnOff(const char *why) {
  WhyOff.store(why);
  Now.store(Stage::Off);
}

template <class F> bool find(F *&function, const char *name) {
  function = reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

void checked(bool right) {
  if (right) {
    Stage from = Stage::Provisional;
    Now.compare_exchange_strong(from, Stage::Checked);
    return;
  }
  turnOff("what was read of its frames differs from what Python's own functions say");
  forgetPythonSites();
}

struct Interpreter {
  Stage stage = Stage::Absent;
  PythonLayout layout = {};
  void *(*threadState)() = nullptr;
  int (*isInitialized)() = nullptr;
};

Interpreter look() {
  Interpreter found;
  if (!find(found.threadState, "PyGILState_GetThisThreadState") ||
      !find(found.isInitialized, "Py_IsInitialized"))
    return found;
  const char *(*version)() = nullptr; // a text that does not change
  find(version, "Py_GetVersion");
  const void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
  auto layout = version ? layoutOf(version(), runtime) : std::nullopt;
  found.stage = layout ? Stage::Waiting : Stage::Off;
  if (layout)
    found.layout = *layout;
  else
    WhyOff.store("this version or build of Python is not known to gpuinstr (3.9 to 3.15 are)");
  return found;
}

/// The first of several threads says what it found. The others wait for that alone, not for its
/// looking, which may need the loader's lock.
Stage lookAndSay() {
  Interpreter found = look();
  Stage stage = Stage::NotLooked;
  if (Now.compare_exchange_strong(stage, Stage::Saying)) {
    Layout = found.layout;
    ThreadState = found.threadState;
    IsInitialized = found.isInitialized;
    Now.store(found.stage);
  }
  while ((stage = Now.load()) == Stage::Saying)
    sched_yield();
  return stage;
}

Stage begin() {
  if (!IsInitialized())
    return Stage::Waiting;
  Stage from = Stage::Waiting;
  if (Now.compare_exchange_strong(from, Stage::Provisional) &&
      !startPythonCheck(Layout, checked, closePythonGate))
    turnOff("Python takes no pending call");
  return Now.load();
}

struct Direct {
  template <class T> static bool read(uint64_t address, T &to) {
    std::memcpy(&to, reinterpret_cast<const void *>(address), sizeof to);
    return true;
  }
};
struct Safe {
  template <class T> static bool read(uint64_t address, T &to) { return readSafely(address, to); }
};

constexpr uint64_t NoInstruction = 0xfffffffe; ///< behind the end of every table of lines

/// Of 3.11 and later, in units of two bytes.
template <class Read>
bool readPointer(uint64_t frame, const PythonFingerprint &print, uint64_t &number) {
  uint64_t first = print.code + Layout.firstInstruction;
  RunningCode running = {print.code, print.lineTable, 0, 0, 0, 0};
  if (!Read::read(frame + Layout.instruction, running.address))
    return false;
  number = running.address < first ? 0 : (running.address - first) / 2;
  if (!Layout.copies)
    return true;
  if (!Read::read(print.code + Layout.length, running.bytes) ||
      !Read::read(print.code + Layout.copies, running.copies) ||
      !Read::read(frame + Layout.copyIndex, running.index))
    return false;
  running.bytes *= 2;
  if (running.address - first >= running.bytes) {
    first = copyOf(Layout, running);
    number = first ? (running.address - first) / 2 : NoInstruction;
  }
  return true;
}

/// Of 3.9 and 3.10, whose frames are objects.
template <class Read> bool readNumber(uint64_t frame, uint64_t &number) {
  int32_t last = 0; // -1: not begun yet
  bool done = Read::read(frame + Layout.instruction, last);
  number = last < 0 ? 0 : Layout.age == PythonLayout::Bytes ? uint64_t(last) / 2 : uint64_t(last);
  return done;
}

template <class Read> bool readFrame(uint64_t at, PythonFrame &found) {
  constexpr uint64_t TagBits = 3; // of references from 3.14 on; nothing lies so that they are set
  PythonFingerprint print;
  if (!Read::read(at + Layout.code, print.code))
    return false;
  print.code &= ~TagBits;
  if (!print.code || !Read::read(print.code + Layout.fileName, print.fileName) ||
      !Read::read(print.code + Layout.qualName, print.qualName) ||
      !Read::read(print.code + Layout.lineTable, print.lineTable) ||
      !Read::read(print.code + Layout.firstLine, print.firstLine))
    return false;
  found.print = print;
  return Layout.age == PythonLayout::Modern ? readPointer<Read>(at, print, found.instruction)
                                            : readNumber<Read>(at, found.instruction);
}

template <class Read> bool stepTo(uint64_t &frame, PythonFrame &found) {
  while (frame) {
    uint64_t at = frame;
    const bool isObject = Layout.age != PythonLayout::Modern;
    uint8_t owner = 0;
    if (!Read::read(at + Layout.previous, frame) ||
        (!isObject && !Read::read(at + Layout.owner, owner)))
      return false;
    found.address = at;
    if (owner < OwnedByC)
      return readFrame<Read>(at, found);
  }
  return false;
}

template <class Read> uint64_t newestFrame(uint64_t state) {
  uint64_t frame = 0;
  if (Layout.frameHolder >= 0 &&
      (!Read::read(state + unsigned(Layout.frameHolder), state) || !state))
    return 0;
  return Read::read(state + Layout.current, frame) ? frame : 0;
}

PlaceKey keyOf(const PythonCode &code, const PythonFrame &frame) {
  return {uint64_t(code.number) << 32 | uint32_t(frame.instruction + 1), true};
}

template <class Read> __attribute__((noinline)) PythonWalk walk(uint64_t newest) {
  PythonWalk found;
  PythonPlaces &places = found.places;
  PlaceKey outermostLibrary;
  const PythonCode *outermost = nullptr;
  PythonCodes &codes = pythonCodes();
  PythonFrame frame;
  for (unsigned i = 0; i < DeepestWalk && stepTo<Read>(newest, frame); ++i) {
    const PythonCode &code = codes.find(Layout, frame.print);
    if (code.kind == PythonCode::User) {
      if (places.user.value) {
        places.caller = keyOf(code, frame);
        found.callerFrame = frame.address;
        return found;
      }
      places.user = keyOf(code, frame);
      found.user = &code;
      found.userFrame = frame.address;
    } else if (!places.user.value && code.kind == PythonCode::Library) {
      outermostLibrary = keyOf(code, frame);
      outermost = &code;
      if (code.keeper)
        places.keeper = code.keeper;
      if (!code.isPlumbing || !found.via || found.via->isPlumbing)
        found.via = &code; // the last one stays: the user's line called it
    }
  }
  if (!places.user.value && outermost) { // python -m package
    places.user = outermostLibrary;
    found.user = outermost;
    found.via = nullptr;
  }
  return found;
}

PythonPlaces placesOf(const PythonWalk &walk) {
  LastVia = walk.via;
  LastUser = walk.user;
  return walk.places;
}

/// Where a walk like this one is kept.
KnownFrames &framesLike(PythonThread &thread, uint64_t newest, const void *call) {
  uint64_t which = reinterpret_cast<uint64_t>(call) << 7 ^ newest << 20 ^
                   pythonWord(newest + Layout.instruction);
  return thread.known.at(scatter(which));
}

PythonPlaces walkAgain(PythonThread &thread, uint64_t newest, const void *call) {
  if (!newest)
    return placesOf({});
  KnownFrames &known = framesLike(thread, newest, call);
  if (known.call == call)
    if (const PythonWalk *former = known.again(Layout, newest))
      return placesOf(*former);
  PythonWalk found = walk<Direct>(newest);
  found.places.kept = &known.sites;
  known.call = call;
  if (!known.keep(Layout, newest, found))
    found.places.kept = nullptr;
  return placesOf(found);
}

} // namespace

static __attribute__((noinline)) bool pythonComes(Stage stage) {
  if (stage == Stage::NotLooked || stage == Stage::Saying)
    stage = lookAndSay();
  if (stage == Stage::Waiting)
    stage = begin();
  return stage == Stage::Provisional || stage == Stage::Checked;
}

GPUINSTR_HOT bool pythonIsHere() {
  Stage stage = Now.load(std::memory_order_acquire);
  if (LIKELY(stage == Stage::Checked))
    return true;
  return stage != Stage::Absent && pythonComes(stage);
}

GPUINSTR_HOT bool pythonRuns() {
  Stage stage = Now.load(std::memory_order_relaxed);
  return stage >= Stage::Provisional;
}

PythonPlaces pythonPlaces(PythonThread &thread) { return pythonPlacesAgain(thread, nullptr); }

PythonPlaces pythonPlacesAgain(PythonThread &thread, const void *call) {
  PythonGatePass pass(thread.reader);
  if (!pass.mayRead())
    return {};
  auto state = reinterpret_cast<uint64_t>(ThreadState());
  if (!state)
    return {};
  if (Now.load() != Stage::Checked || !pass.isOpen())
    return placesOf(walk<Safe>(newestFrame<Safe>(state)));
  uint64_t newest = newestFrame<Direct>(state);
  return call ? walkAgain(thread, newest, call) : placesOf(walk<Direct>(newest));
}

GPUINSTR_HOT PythonSites pythonSitesAgain(PythonThread &thread, const void *call) {
  PythonGatePass pass(thread.reader);
  if (UNLIKELY(Now.load() != Stage::Checked || !pass.isOpen()))
    return {};
  auto state = reinterpret_cast<uint64_t>(ThreadState());
  uint64_t newest = state ? newestFrame<Direct>(state) : 0;
  if (!newest)
    return {PythonSites::NoFrame};
  KnownFrames &known = framesLike(thread, newest, call);
  if (UNLIKELY(known.call != call || !known.again(Layout, newest)))
    return {};
  return {PythonSites::Known, &known.sites};
}

PlaceText pythonText(PlaceKey place) {
  PlaceText text;
  const PythonCode *code = pythonCodeNumber(uint32_t(place.value >> 32));
  if (!code)
    return text;
  text.file = code->fileName;
  text.function = code->qualName;
  text.line = lineOf(Layout, code->print.code, uint32_t(place.value) - 1);
  if (code == LastUser && LastVia)
    text.via = LastVia->shortName();
  if (!text.file.empty() && text.file[0] != '<')
    text.source = lineOfFile(text.file, text.line);
  return text;
}

std::string pythonNote() {
  return Now.load() == Stage::Off ? "no lines of Python: " + std::string(WhyOff.load()) : "";
}

bool readFramesForCheck(uint64_t state, PythonFrame *frames, unsigned &count) {
  unsigned most = count;
  uint64_t at = newestFrame<Safe>(state);
  for (count = 0; count < most && stepTo<Safe>(at, frames[count]); ++count)
    ;
  return count > 0;
}

} // namespace gpuinstr::attach
