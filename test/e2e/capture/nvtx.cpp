// capture=nvtx@NAME: ranges that the program pushes through NVTX itself; the twin's have another
// name.
// SPDX-License-Identifier: Apache-2.0
// FLAGS: -pthread -ldl -I%gpuinstr
// OPTIONS: capture=nvtx@solve
// TWIN: FIXED
// EXPECT-CLEAN
// EXPECT-NO-SITE[both]: line=@before calls>=1
// EXPECT-NO-SITE[both]: line=@setup calls>=1
// EXPECT-SITE: line=@inside calls=3
// EXPECT-SITE: line=@deeper calls=1
// EXPECT-SITE: line=@thread calls=1
// EXPECT-NO-SITE[both]: line=@popped calls>=1
// EXPECT-SITE: line=@wide calls=1
// EXPECT-SITE: line=@attributes calls=1
// EXPECT-SITE: line=@domain calls=1
// EXPECT-SITE: line=@mixed calls=1
// EXPECT-NO-SITE[both]: line=@after calls>=1
// EXPECT-NOTE[twin]: capture=nvtx@solve: no range of that name was opened, nothing was recorded
// EXPECT-NO-REPORT: *no range of that name*
// EXPECT-NO-SITE[twin]: line=@inside calls>=1
// EXPECT-NO-SITE[twin]: line=@thread calls>=1
// EXPECT-NO-SITE[twin]: line=@domain calls>=1
#include "../Inputs/check.h"

#include <gpuinstr/gpuinstr.h>
#include <nvtx3/nvToolsExt.h>
#include <thread>

#ifdef FIXED
#define NAME "solver" // begins as the other does
#else
#define NAME "solve"
#endif
#define WIDE_(text) L##text
#define WIDE(text) WIDE_(text)

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  CHECK(cudaMemset(d_field, 0, 512)); // @before
  nvtxRangePushA("setup");
  CHECK(cudaMemset(d_field, 0, 512)); // @setup
  nvtxRangePushA(NAME);
  for (int i = 0; i < 3; ++i)
    CHECK(cudaMemset(d_field, i, 512)); // @inside
  nvtxRangePushA("step");
  nvtxRangePushA(NAME);
  nvtxRangePop();
  CHECK(cudaMemset(d_field, 0, 512)); // @deeper
  nvtxRangePop();
  std::thread([&] {
    nvtxRangePop(); // of none: ranges belong to their thread
    CHECK(cudaMemset(d_field, 0, 512)); // @thread
  }).join();
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangePop(); // once too often
  CHECK(cudaMemset(d_field, 0, 512)); // @popped
  nvtxRangePushW(WIDE(NAME));
  CHECK(cudaMemset(d_field, 0, 512)); // @wide
  nvtxRangePop();

  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  nvtxRangePushEx(&attributes); // without a name
  nvtxRangePop();
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = NAME;
  nvtxRangePushEx(&attributes);
  CHECK(cudaMemset(d_field, 0, 512)); // @attributes
  nvtxRangePop();
  nvtxDomainHandle_t domain = nvtxDomainCreateA("fluid");
  nvtxDomainRangePushEx(domain, &attributes);
  CHECK(cudaMemset(d_field, 0, 512)); // @domain
  nvtxDomainRangePop(domain);

  // Ranges of the public header have a stack of their own.
  gpuinstr_push_range("other");
  nvtxRangePushA(NAME);
  gpuinstr_pop_range();
  CHECK(cudaMemset(d_field, 0, 512)); // @mixed
  nvtxRangePop();
  CHECK(cudaMemset(d_field, 0, 512)); // @after
  CHECK(cudaFree(d_field));
  puts("done");
}
