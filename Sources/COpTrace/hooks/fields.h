// Stored properties, by name.
#ifndef OPTRACE_FIELDS_H
#define OPTRACE_FIELDS_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// Where a stored property of a class lies in its objects; 0: it has none of this name.
uint32_t class_field_offset(const void *metadata, const char *name);
#endif

#endif
