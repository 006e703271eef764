// What the hooks look at first.
#ifndef OPTRACE_STATE_H
#define OPTRACE_STATE_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// In a forked child both are false: it goes on as if there were no hooks.
bool hooks_active(void);
// Whether what nobody has introduced is introduced when it is met.
bool hooks_watch_everything(void);
// The recorder of what belongs to no operation; null: nobody is.
optrace_recorder *hooks_watching_core(void);
// What the recorder's Swift part does.
extern optrace_hook_calls hook_calls;

// Before the hooks are put in place. Null, or why it cannot be.
const char *hooks_prepare_state(void);
void hooks_set_active(bool active);
#endif

#endif
