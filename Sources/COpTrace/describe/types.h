// The types of Swift's objects, by the first word of each: see `type_names`.
#ifndef OPTRACE_TYPES_H
#define OPTRACE_TYPES_H

#include "../layouts/hooks.h"
#include "../storage/recorder.h"

// For one recorder at a time, under its caller's lock.
extern const type_names types_of_objects;

#endif
