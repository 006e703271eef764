// Finds stored properties of Swift classes, and cases of enumerations, by name.
#ifndef OPTRACE_FIELDS_H
#define OPTRACE_FIELDS_H

#include "../layouts/hooks.h"

#if OPTRACE_HAS_HOOKS
// The offset of a stored property in the objects of a class; 0: the class has none of this name.
uint32_t class_field_offset(const void *metadata, const char *name);
// How an enumeration without payloads, which is the type of a stored property, stores one of its cases. False: not known.
bool class_field_case(const void *metadata, const char *name, const char *case_name, uint8_t *index);
#endif

#endif
