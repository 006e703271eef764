// Hooks of queues.
#ifndef OPTRACE_QUEUES_H
#define OPTRACE_QUEUES_H

#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
extern hooked_method queue_methods[];
#endif

#endif
