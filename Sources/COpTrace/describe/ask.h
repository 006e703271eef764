// Calls an operation's getters. If its class overrides a getter, that is the program's code, which may take locks and use other
// operations, or this one.
#ifndef OPTRACE_ASK_H
#define OPTRACE_ASK_H

#include "strings.h"

#if OPTRACE_HAS_HOOKS
bool ask_is_finished(void *operation);
bool ask_is_executing(void *operation);
bool ask_is_cancelled(void *operation);
bool ask_is_asynchronous(void *operation);
// Returns the name, owned by the caller. Nil also if this program's strings cannot be read.
swift_string ask_name(void *operation);
// Returns an array of operations, owned by the caller.
void *ask_dependencies(void *operation);
// These two return the trace format's numbers.
int8_t ask_priority(void *operation);
uint8_t ask_quality(void *operation);

// Converts the index of a case in Foundation's enumerations to the trace format's number.
int8_t priority_number(uint8_t place);
uint8_t quality_number(uint8_t place);

// Verifies the cases of Foundation's enumerations. Null, or what does not fit. An enumeration that does not fit is recorded as 0.
const char *cases_prove(void);
#endif

#endif
