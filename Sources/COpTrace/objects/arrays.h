// Reads Swift's arrays in C.
#ifndef OPTRACE_ARRAYS_H
#define OPTRACE_ARRAYS_H

#include "../layouts/swift_abi.h"
#include "COpTraceDescribe.h"
#include "../layouts/tables.h"

#if OPTRACE_HAS_HOOKS
// These return the count of an array, its elements, and one element of an array of objects.
static inline size_t array_count(const void *array) {
  return array ? ((const size_t *)array)[array_count_word] : 0;
}
static inline const void *array_elements(const void *array) {
  return (const uint64_t *)array + array_first_element_word;
}
static inline void *array_object(const void *array, size_t index) { return ((void *const *)array_elements(array))[index]; }

// Verifies the layout of arrays of operations. `methods`: of operations, which were found. Null, or what does not fit.
const char *arrays_prove(const optrace_readers *readers, const hooked_method *methods);
#endif

#endif
