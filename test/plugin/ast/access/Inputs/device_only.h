// Included by the device alone: what it defines, the host never sees.
#include "device_only_too.h"
