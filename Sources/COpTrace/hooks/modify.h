// Hooks properties that are modified in place.
#ifndef OPTRACE_MODIFY_H
#define OPTRACE_MODIFY_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// `x.property += 1` and `toggle()` change a property through a coroutine: it yields the address of a value, and is resumed when
// the value has been changed.
typedef SWIFT void (*resume)(void *frame, bool unwinding);
typedef struct {
  resume resume;
  void *value;
} yielded;
typedef SWIFT yielded (*modifier)(void *frame, SELF);
// Called with the new value before Foundation gets it. This is the value itself, and not the result of a getter, which may be overridden
// and wait for a lock that an override of the setter holds.
typedef void (*modified)(void *object, const void *value);

// Runs `real`, and calls `on_change` before it is resumed.
yielded modify(modifier real, void *frame, void *object, modified on_change);
#endif

#endif
