// Changes in place.
#ifndef OPTRACE_MODIFY_H
#define OPTRACE_MODIFY_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// `x.property += 1` and `toggle()` reach a property through a coroutine: it hands out the address of a value, and is
// resumed when that has been changed.
typedef SWIFT void (*resume)(void *frame, bool unwinding);
typedef struct {
  resume resume;
  void *value;
} yielded;
typedef SWIFT yielded (*modifier)(void *frame, SELF);
// What is done with the new value, before Foundation hears of it. The value itself, and not what a getter says: that may be
// an override, which waits for a lock that an override of the setter holds just now.
typedef void (*modified)(void *object, const void *value);

// Runs `real`, and `told` before its resumption.
yielded modify(modifier real, void *frame, void *object, modified on_change);
#endif

#endif
