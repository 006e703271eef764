// What an operation blocks in.
#include "hooks.h"

#if OPTRACE_HAS_HOOKS
static _Thread_local uint32_t ignored;

void blocking_ignore(bool value) { ignored += value ? 1 : -1; }

hooked_import blocking_imports[] = {{0}};
#endif
