// Waits ask whether code that was not compiled with the plugin is there.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "calls/code/Images.h"
#include "calls/code/UnseenCode.h"
#include <dlfcn.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

using UnseenWaits = TwoBuffers;

/// A library whose work takes no longer than a wait for nothing may be closed behind it.
TEST_F(UnseenWaits, ShortOnesAskWhoIsThere) {
  for (int i = 0; i < 4; ++i)
    syncDevice();
  audit::auditStateOf(*thisThread()).waits = 0;
  const unsigned before = searchesForUnseenCode();
  syncDevice();
  EXPECT_EQ(searchesForUnseenCode(), before);
  const uint64_t loaded = changesOfModules().added;
  void *library = nullptr;
  for (const char *name : {"libanl.so.1", "libutil.so.1", "librt.so.1"})
    if (changesOfModules().added == loaded)
      library = dlopen(name, RTLD_NOW);
  ASSERT_GT(changesOfModules().added, loaded);
  syncDevice();
  EXPECT_EQ(searchesForUnseenCode(), before + 1);
  dlclose(library);
}

} // namespace
