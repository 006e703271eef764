#include "own_call.h"

_Thread_local bool is_own_call;
