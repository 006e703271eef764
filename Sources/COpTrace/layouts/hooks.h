// Whether hooks exist on this system, and the types of hooks with Swift's calling convention. See `Documentation/recorder.md`.
#ifndef OPTRACE_HOOKS_H
#define OPTRACE_HOOKS_H

#include "COpTraceDescribe.h"
#include "COpTraceHooks.h"

#if defined(__linux__) && defined(__LP64__) && defined(__clang__)
#define OPTRACE_HAS_HOOKS 1

// Swift's calling convention, in which `self` is passed in a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

typedef SWIFT void (*method)(SELF);
typedef SWIFT bool (*getter)(SELF);
typedef SWIFT void (*method_object)(void *argument, SELF);
typedef SWIFT void (*method_word)(uint64_t argument, SELF);
typedef SWIFT void (*method_byte)(uint8_t argument, SELF);
typedef SWIFT void (*method_bool)(bool argument, SELF);
typedef SWIFT void (*method_words)(uint64_t first, uint64_t second, SELF);
typedef SWIFT void (*method_array)(void *array, bool flag, SELF);
#endif

#endif
