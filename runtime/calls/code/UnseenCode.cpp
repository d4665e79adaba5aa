// Code that uses CUDA and was not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
#include "calls/code/UnseenCode.h"
#include "base/Part.h"
#include "calls/budget/WatchWindows.h"
#include "calls/code/UnseenCalls.h"
#include "calls/sites/CudaFunctions.h"
#include "calls/threads/StackRoom.h"
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <map>

namespace gpuinstr {

namespace {

/// What these wait for, and write, comes from elsewhere than the driver's calls.
bool communicates(const LoadedImage &image, const std::vector<std::string> &atWork) {
  auto isPart = [&](const std::string &part) { return image.path.find(part) != std::string::npos; };
  for (const char *part : {"/libmpi.", "/libucp.", "/libfabric."})
    if (isPart(part))
      return true;
  return std::any_of(atWork.begin(), atWork.end(), isPart);
}

/// Every driver call is seen, whoever makes it.
std::vector<std::string> communicators(const std::vector<LoadedImage> &images,
                                       const std::vector<ModuleInfo> &modules) {
  std::vector<std::string> atWork, found;
  for (const ModuleInfo &module : modules)
    if (module.producer == CommunicatingProducer)
      atWork.push_back(module.source);
  for (const LoadedImage &image : images)
    if (communicates(image, atWork))
      found.push_back(image.path);
  for (const std::string &part : atWork) // one that was unloaded has done its work all the same
    if (std::none_of(images.begin(), images.end(), [&](const LoadedImage &image) {
          return image.path.find(part) != std::string::npos;
        }))
      found.push_back(part);
  return found;
}

/// Images that were found to be unseen users of CUDA: that they are closed undoes nothing. With
/// imagesMutex() held.
class UnseenUsers {
public:
  void note(const LoadedImage &image, UnseenCode does) {
    Users[image.path] = {does, !image.unseenCalls.empty()};
  }
  UnseenCode doneBy(const std::string &path) {
    auto user = Users.find(path);
    return user == Users.end() ? UnseenCode::None : user->second.does;
  }
  /// Adds those that are not there yet; nor one that had not registered yet when it was found.
  void addTo(std::vector<std::string> &unseen, const std::vector<std::string> &instrumented) {
    for (const auto &[path, user] : Users)
      if (!contains(unseen, path) && (user.besideSeen || !contains(instrumented, path)))
        unseen.push_back(path);
  }
  static bool contains(const std::vector<std::string> &paths, const std::string &path) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  }

private:
  struct User {
    UnseenCode does;
    bool besideSeen; ///< objects of an instrumented image
  };
  std::map<std::string, User> Users;
};

UnseenUsers &unseenUsers() {
  static auto *users = new UnseenUsers; // used during exit
  return *users;
}

std::vector<std::string> usersAmong(const std::vector<LoadedImage> &images) {
  std::vector<std::string> instrumented, unseen;
  const std::vector<ModuleInfo> modules = registeredModules();
  if (allIsSeen(modules))
    return communicators(images, modules);
  char resolved[PATH_MAX];
  for (const ModuleInfo &module : modules) {
    instrumented.push_back(module.image);
    if (realpath(module.image.c_str(), resolved))
      instrumented.push_back(resolved);
  }
  for (const LoadedImage &image : images)
    if (!image.unseenCalls.empty() ||
        (image.does != UnseenCode::None && !UnseenUsers::contains(instrumented, image.path)))
      unseen.push_back(image.path);
  unseenUsers().addTo(unseen, instrumented);
  return unseen;
}

UnseenCode doneBy(const LoadedImage &image) {
  if (image.unseenCalls.empty())
    return image.does;
  const bool runs =
      std::any_of(image.unseenCalls.begin(), image.unseenCalls.end(), [](const std::string &name) {
        return name == UnlistedFunction || name == UntoldFunctions || isLookUp(name.c_str()) ||
               runsKernels(name.c_str());
      });
  return runs ? UnseenCode::Runs : UnseenCode::Uses;
}

/// The program took the address of a function that runs kernels or writes memory: calls by it are
/// unseen.
UnseenCode handedOn() {
  UnseenCode most = UnseenCode::None;
  for (const ModuleInfo &module : registeredModules())
    for (const std::string &name : module.addressesTaken)
      if (runsKernels(name.c_str()))
        most = UnseenCode::Runs;
      else if (name.find("Memcpy") != std::string::npos || name.find("Memset") != std::string::npos)
        most = std::max(most, UnseenCode::Uses);
  return most;
}

UnseenCode findUnseenCode() {
  const std::vector<LoadedImage> images = listImages();
  const std::vector<std::string> unseen = usersAmong(images);
  if (allIsSeen(registeredModules())) // those that communicate
    return unseen.empty() ? UnseenCode::None : UnseenCode::Runs;
  UnseenCode most = handedOn();
  for (const LoadedImage &image : images)
    if (!image.isTrusted && UnseenUsers::contains(unseen, image.path))
      unseenUsers().note(image, doneBy(image));
  for (const std::string &path : unseen)
    most = std::max(most, unseenUsers().doneBy(path));
  return most;
}

std::atomic<unsigned> Searches{0};

UnseenCode unseenCode() {
  static unsigned long long seenLoads = ~0ull;
  static UnseenCode most = UnseenCode::None;
  std::lock_guard<std::mutex> lock(imagesMutex());
  const ModuleChanges changes = changesOfModules();
  const unsigned long long loads = changes.added + changes.gone + moduleRegistrations();
  if (loads != seenLoads) {
    most = findUnseenCode();
    seenLoads = loads;
    Searches.fetch_add(1);
  }
  return most;
}

class ImagesPart : public Part {
public:
  void lock() override { imagesMutex().lock(); }
  void unlock() override { imagesMutex().unlock(); }
};

} // namespace

std::vector<std::string> unseenCudaUsers(const std::vector<LoadedImage> &images) {
  std::lock_guard<std::mutex> lock(imagesMutex());
  return usersAmong(images);
}

unsigned searchesForUnseenCode() { return Searches.load(); }

Part &imagesPart() {
  static Part *part = new ImagesPart; // leaked: used during exit
  return *part;
}

// A call on a stack without room for us is as unseen as one of such code.
bool unseenCodeUsesCuda() {
  return everUnseen() || callsWithoutRoom() || unseenCode() != UnseenCode::None;
}
bool unseenCodeRunsKernels() {
  return everUnseen() || callsWithoutRoom() || unseenCode() == UnseenCode::Runs;
}
bool unseenCodeLaunches() {
  return callsWithoutRoom() ||
         (unseenCode() == UnseenCode::Runs && !allIsSeen(registeredModules()));
}
bool isAttachedAlone() { return allIsSeen(registeredModules()); }
bool unseenCodeSynchronises() { return callsWithoutRoom() || unseenCode() != UnseenCode::None; }

} // namespace gpuinstr
