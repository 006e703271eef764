// Finds stored properties of Swift classes by name.
#ifndef OPTRACE_FIELDS_H
#define OPTRACE_FIELDS_H

#include "hooks.h"

#if OPTRACE_HAS_HOOKS
// The offset of a stored property in the objects of a class; 0: the class has none of this name.
uint32_t class_field_offset(const void *metadata, const char *name);
#endif

#endif
