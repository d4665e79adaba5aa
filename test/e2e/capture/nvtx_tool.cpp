// capture=nvtx@NAME beside a tool that listens to NVTX: it gets its own handles and numbers back,
// and each domain has a stack of its own.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// FLAGS: -ldl
// DLOPEN-PLAIN: libtool.so Inputs/nvtx_tool.cpp
// ENV: NVTX_INJECTION64_PATH=%t/../libtool.so
// OPTIONS: capture=nvtx@solve
// EXPECT-CLEAN
// EXPECT-NO-SITE: line=@before calls>=1
// EXPECT-SITE: line=@started calls=1
// EXPECT-NO-SITE: line=@ended calls>=1
// EXPECT-SITE: line=@registered calls=1
// EXPECT-SITE: line=@domain calls=1
// EXPECT-SITE: line=@crossed calls=1
// EXPECT-NO-SITE: line=@after calls>=1
#include "../Inputs/check.h"

#include <nvtx3/nvtx3.hpp>

struct fluid {
  static constexpr char const *name{"fluid"};
};
struct solve {
  static constexpr char const *message{"solve"};
};

int main() {
  void *d_field;
  CHECK(cudaMalloc(&d_field, 512));
  CHECK(cudaMemset(d_field, 0, 512)); // @before
  nvtxRangeId_t other = nvtxRangeStartA("other"), ours = nvtxRangeStartA("solve");
  nvtxRangeEnd(other);
  CHECK(cudaMemset(d_field, 0, 512)); // @started
  nvtxRangeEnd(ours);
  CHECK(cudaMemset(d_field, 0, 512)); // @ended
  auto handle = nvtx3::start_range_in<fluid>(nvtx3::registered_string_in<fluid>::get<solve>());
  CHECK(cudaMemset(d_field, 0, 512)); // @registered
  nvtx3::end_range_in<fluid>(handle);

  nvtxDomainHandle_t one = nvtxDomainCreateA("one"), two = nvtxDomainCreateA("two");
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "step";
  nvtxDomainRangePushEx(two, &attributes);
  attributes.message.ascii = "solve";
  nvtxDomainRangePushEx(one, &attributes);
  CHECK(cudaMemset(d_field, 0, 512)); // @domain
  nvtxDomainRangePop(two);
  CHECK(cudaMemset(d_field, 0, 512)); // @crossed
  nvtxDomainRangePop(one);
  CHECK(cudaMemset(d_field, 0, 512)); // @after
  CHECK(cudaFree(d_field));
  puts("done");
}
