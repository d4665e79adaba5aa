// Our copy of CUPTI's struct against CUPTI's own.
// SPDX-License-Identifier: Apache-2.0
#include "attach/driver/CuptiCallbacks.h"
#include <cstddef>
#include <cupti_callbacks.h>

using gpuinstr::attach::CallbackData;
#define SAME(ours, theirs)                                                                         \
  static_assert(offsetof(CallbackData, ours) == offsetof(CUpti_CallbackData, theirs) &&            \
                sizeof(CallbackData::ours) == sizeof(CUpti_CallbackData::theirs))
SAME(site, callbackSite);
SAME(function, functionName);
SAME(parameters, functionParams);
SAME(result, functionReturnValue);
SAME(symbol, symbolName);
SAME(context, context);
SAME(contextId, contextUid);
SAME(kept, correlationData);
SAME(correlation, correlationId);
static_assert(gpuinstr::attach::DriverDomain == CUPTI_CB_DOMAIN_DRIVER_API);
