// What the findings of bugs say of memory and copies, and what they share with others.
// SPDX-License-Identifier: Apache-2.0
#include "findings/BugText.h"
#include "base/text/Printable.h"
#include "profile/kinds/SiteKind.h"
#include <cstring>

namespace gpuinstr {

namespace {

/// Libraries whose handles end by Destroy in place of Create.
std::string destroyCall(const gpuinstr_site *site) {
  std::string callee = site ? site->callee : "";
  size_t create = callee.find("Create");
  if (create == std::string::npos)
    return "destroy it";
  return "call " + callee.substr(0, create) + "Destroy on it";
}

/// What ends memory and handles: the runtime's function, and the driver's.
struct FreeCall {
  uint16_t resource;
  const char *runtime, *driver;
};
constexpr FreeCall FreeCalls[] = {
    {GPUINSTR_RES_ASYNC, "cudaFreeAsync", "cuMemFreeAsync"},
    {GPUINSTR_RES_ARRAY, "cudaFreeArray", "cuArrayDestroy"},
    {GPUINSTR_RES_MIPMAPPED, "cudaFreeMipmappedArray", "cuMipmappedArrayDestroy"},
    {GPUINSTR_RES_PINNED, "cudaFreeHost", "cuMemFreeHost"},
    {GPUINSTR_RES_REGISTERED, "cudaHostUnregister", "cuMemHostUnregister"},
    {GPUINSTR_RES_STREAM, "cudaStreamDestroy", "cuStreamDestroy"},
    {GPUINSTR_RES_EVENT, "cudaEventDestroy", "cuEventDestroy"},
    {GPUINSTR_RES_CUFFT, "cufftDestroy", nullptr},
    {GPUINSTR_RES_CURAND, "curandDestroyGenerator", nullptr},
    {GPUINSTR_RES_NCCL, "ncclCommDestroy", nullptr},
};

/// cuMemAlloc, not cudaMalloc or cublasCreate.
bool isOfDriver(const gpuinstr_site *site) {
  return site && std::strncmp(site->callee, "cu", 2) == 0 && site->callee[2] >= 'A' &&
         site->callee[2] <= 'Z';
}

const char *kindName(uint8_t right) {
  constexpr const char *Names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                   "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};
  return right && right <= 4 ? Names[right - 1] : "";
}

} // namespace

std::string place(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  if (!site)
    return "an unknown place";
  const char *slash = std::strrchr(site->file, '/');
  std::string file = slash ? slash + 1 : site->file;
  return site->line ? file + ":" + std::to_string(site->line) : file; // a library without lines
}

std::string freeCall(uint16_t resource, const gpuinstr_site *site) {
  for (const FreeCall &call : FreeCalls)
    if (call.resource == resource)
      return std::string("call ") + (call.driver && isOfDriver(site) ? call.driver : call.runtime) +
             " on it" + (resource == GPUINSTR_RES_ASYNC ? " when its last use is enqueued" : "");
  switch (resource) {
  case GPUINSTR_RES_CUBLAS:
  case GPUINSTR_RES_CUSPARSE:
  case GPUINSTR_RES_CUSOLVER:
  case GPUINSTR_RES_CUDNN:
    return destroyCall(site);
  }
  if (site && std::strncmp(site->callee, "thrust::", 8) == 0)
    return "let it be destroyed: that frees the memory"; // its vectors
  return isOfDriver(site) ? "call cuMemFree on it" : "call cudaFree on it";
}

std::string bytesOf(uint64_t bytes) { return bytesText(bytes, Zeros::Kept); }

std::string kindOf(const FindingRecord &r) {
  if (!r.rightKind)
    return "";
  auto side = [&](unsigned bit) { return (r.rightKind - 1) & bit ? "device" : "host"; };
  return std::string("; the destination is ") + side(1) + " memory, the source " + side(2) +
         " memory: that is " + kindName(r.rightKind);
}

std::string passOf(const FindingRecord &r) {
  return r.rightKind ? "pass " + std::string(kindName(r.rightKind)) + ", and " : "";
}

std::string addressOf(const FindingRecord &r) {
  const std::string memory(profile::textOf(profile::resourceOf(r.key.resource)));
  switch (r.given) {
  case GivenAddress::Other:
    return "the address of " + memory + " memory, made at " + place(r.key.related);
  case GivenAddress::Inside:
    return "an address " + bytesOf(r.past) + " into an allocation of " + bytesOf(r.capacity) +
           " made at " + place(r.key.related);
  case GivenAddress::OfStack:
    return "the address of a local variable, which lies on the stack";
  case GivenAddress::OfVariable:
    return "the address of a variable of the program, which lies in the host's memory";
  case GivenAddress::OfHost:
    return "the address of ordinary host memory, as malloc and new return it";
  case GivenAddress::OfReset: {
    const gpuinstr_site *reset = siteAt(r.key.related);
    return std::string("what ") + (reset && *reset->callee ? reset->callee : "the reset") + " at " +
           place(r.key.related) + " had freed";
  }
  case GivenAddress::Unknown:
    break;
  }
  return "an address that starts no allocation of that kind";
}

/// d_x of a call that was written cudaFree(&d_x), or with a cast; else empty.
std::string addressedBy(const gpuinstr_site *site) {
  std::string text = site && site->num_arguments ? site->arguments[0] : "";
  const size_t at = text.find('&');
  if (at == text.npos || (at && text[at - 1] != ')' && text[at - 1] != '('))
    return "";
  if (at && text[at - 1] == '(' && text.back() == ')')
    text.pop_back();
  return text.substr(at + 1);
}

std::string rightFreeOf(const FindingRecord &r, const gpuinstr_site *site) {
  const bool isOfHost = r.given == GivenAddress::OfStack || r.given == GivenAddress::OfVariable ||
                        r.given == GivenAddress::OfHost;
  if (const std::string named = isOfHost ? addressedBy(site) : ""; !named.empty())
    return "pass " + named + " itself if that is the pointer to free, not its address";
  switch (r.given) {
  case GivenAddress::Other:
    return freeCall(r.key.resource, siteAt(r.key.related));
  case GivenAddress::OfStack:
  case GivenAddress::OfVariable:
    return "drop the call: nobody has to free it";
  case GivenAddress::OfHost:
    return std::string("free it with free() or delete, as it was made; ") +
           (site && *site->callee ? site->callee : "this call") + " is for what CUDA allocates";
  case GivenAddress::OfReset:
    return "free it before that call, or leave it to that call";
  case GivenAddress::Inside:
  case GivenAddress::Unknown:
    break;
  }
  return "pass the pointer that the allocation returned to the free function that belongs to it";
}

std::string amountEach(const FindingRecord &r) {
  if (r.bytes == 0)
    return r.count == 1 ? "one" : std::to_string(r.count);
  if (r.count == 1)
    return bytesOf(r.bytes);
  return bytesOf(r.bytes) + " in " + std::to_string(r.count) + " allocations";
}

std::string heldOf(const FindingRecord &r) {
  const gpuinstr_site *site = siteAt(r.key.related);
  if (!site)
    return "";
  std::string name = *site->variable ? site->variable : "a global variable";
  return ", or held by " + name + ", which pointed there before (" + place(r.key.related) + ")";
}

} // namespace gpuinstr
