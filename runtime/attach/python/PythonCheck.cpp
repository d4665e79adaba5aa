// Compares what is read of Python's frames with what Python's own functions say.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonCheck.h"
#include <cstring>
#include <dlfcn.h>

namespace gpuinstr::attach {

namespace {

using Object = void;
constexpr unsigned FramesCompared = 4;

const PythonLayout *Layout = nullptr;
void (*Done)(bool) = nullptr;
void (*AtEnd)() = nullptr;
void (*BeforeExit)(int) = nullptr;

struct Api {
  int (*addPendingCall)(int (*)(void *), void *);
  void *(*threadState)();
  Object *(*currentFrame)(); ///< borrowed
  Object *(*codeOf)(Object *frame);
  Object *(*backOf)(Object *frame);
  int (*lineNumber)(Object *frame);
  Object *(*attribute)(Object *, const char *);
  const char *(*utf8)(Object *);
  void (*decRef)(Object *);
  void (*incRef)(Object *);
  void (*clearError)();
  Object *(*import)(const char *);
  Object *(*newFunction)(void *definition, Object *self, Object *module);
  Object *(*callMethod)(Object *, const char *name, const char *format, ...);
  int (*setAttribute)(Object *, const char *, Object *);
  Object *(*call)(Object *, Object *arguments, Object *named);
  int (*parse)(Object *arguments, Object *named, const char *format, const char *const *names, ...);
} Python;

template <class F> bool find(F *&function, const char *name) {
  function = reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool findAll() {
  return find(Python.addPendingCall, "Py_AddPendingCall") &&
         find(Python.threadState, "PyGILState_GetThisThreadState") &&
         find(Python.currentFrame, "PyEval_GetFrame") && find(Python.codeOf, "PyFrame_GetCode") &&
         find(Python.backOf, "PyFrame_GetBack") &&
         find(Python.lineNumber, "PyFrame_GetLineNumber") &&
         find(Python.attribute, "PyObject_GetAttrString") &&
         find(Python.utf8, "PyUnicode_AsUTF8") && find(Python.decRef, "Py_DecRef") &&
         find(Python.incRef, "Py_IncRef") && find(Python.clearError, "PyErr_Clear") &&
         find(Python.import, "PyImport_ImportModule") &&
         find(Python.newFunction, "PyCFunction_NewEx") &&
         find(Python.callMethod, "PyObject_CallMethod") &&
         find(Python.setAttribute, "PyObject_SetAttrString") &&
         find(Python.call, "PyObject_Call") && find(Python.parse, "PyArg_ParseTupleAndKeywords");
}

bool sameText(Object *code, const char *attribute, uint64_t stored) {
  Object *value = Python.attribute(code, attribute);
  const char *text = value ? Python.utf8(value) : nullptr;
  bool same = text && textOf(*Layout, stored) == text;
  if (value)
    Python.decRef(value);
  return same;
}

/// 3.9 and 3.10 know no qualified name of code.
const char *nameOfCode() { return Layout->age == PythonLayout::Modern ? "co_qualname" : "co_name"; }

bool sameFrame(Object *frame, const PythonFrame &read) {
  Object *code = Python.codeOf(frame);
  bool same = code && uint64_t(code) == read.print.code &&
              sameText(code, "co_filename", read.print.fileName) &&
              sameText(code, nameOfCode(), read.print.qualName) &&
              Python.lineNumber(frame) == int(lineOf(*Layout, read.print.code, read.instruction));
  if (code)
    Python.decRef(code);
  return same;
}

bool compare() {
  PythonFrame frames[FramesCompared];
  unsigned count = FramesCompared, i = 0;
  Object *frame = Python.currentFrame();
  bool any = readFramesForCheck(uint64_t(Python.threadState()), frames, count);
  if (!frame || !any)
    return !frame && !any;
  Python.incRef(frame);
  bool same = true;
  for (; same && frame && i < count; ++i) {
    same = sameFrame(frame, frames[i]);
    Object *back = Python.backOf(frame);
    Python.decRef(frame);
    frame = back;
  }
  if (frame)
    Python.decRef(frame);
  return same && (!frame || i == FramesCompared);
}

Object *endOfInterpreter(Object *, Object *) {
  AtEnd();
  static auto *none = static_cast<Object *>(dlsym(RTLD_DEFAULT, "_Py_NoneStruct"));
  Python.incRef(none);
  return none;
}

/// PyMethodDef.
struct {
  const char *name;
  Object *(*function)(Object *, Object *);
  int flags;
  const char *text;
} EndDefinition = {"gpuinstr_end", endOfInterpreter, 4 /* METH_NOARGS */, nullptr};

bool watchEnd() {
  Object *module = Python.import("atexit");
  Object *function = module ? Python.newFunction(&EndDefinition, nullptr, nullptr) : nullptr;
  Object *result = function ? Python.callMethod(module, "register", "O", function) : nullptr;
  bool done = result != nullptr;
  for (Object *object : {result, function, module})
    if (object)
      Python.decRef(object);
  return done;
}

Object *OwnExit = nullptr; ///< os._exit as it was

Object *exitNow(Object *, Object *arguments, Object *named) {
  static const char *const names[] = {"status", nullptr};
  int status = 0;
  if (Python.parse(arguments, named, "i", names, &status))
    BeforeExit(status);
  else
    Python.clearError(); // it says so itself
  return Python.call(OwnExit, arguments, named);
}

/// PyMethodDef.
struct {
  const char *name;
  Object *(*function)(Object *, Object *, Object *);
  int flags;
  const char *text;
} ExitDefinition = {"_exit", exitNow, 3 /* METH_VARARGS | METH_KEYWORDS */, nullptr};

/// Forked workers end by os._exit, which no exit handler sees.
bool watchExit() {
  Object *module = Python.import("os");
  OwnExit = module ? Python.attribute(module, "_exit") : nullptr; // kept
  Object *function = OwnExit ? Python.newFunction(&ExitDefinition, nullptr, nullptr) : nullptr;
  bool done = function && Python.setAttribute(module, "_exit", function) == 0;
  for (Object *object : {function, module})
    if (object)
      Python.decRef(object);
  return done;
}

int runCheck(void *) {
  bool right = compare() && watchEnd() && (!BeforeExit || watchExit());
  if (!right)
    Python.clearError();
  Done(right);
  return 0;
}

} // namespace

void callBeforeExit(void (*function)(int status)) { BeforeExit = function; }

bool startPythonCheck(const PythonLayout &layout, void (*done)(bool), void (*atEnd)()) {
  Layout = &layout;
  Done = done;
  AtEnd = atEnd;
  return findAll() && Python.addPendingCall(runCheck, nullptr) == 0;
}

} // namespace gpuinstr::attach
