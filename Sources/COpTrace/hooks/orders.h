// Hooks of locks that hear each acquisition, for the orders in which they are taken. Installed only on request.
#ifndef OPTRACE_HOOK_ORDERS_H
#define OPTRACE_HOOK_ORDERS_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_import order_imports[];
// Calls that take something pause before it (pauses/). Before they are hooked.
void orders_pause(void);
#endif

#endif
