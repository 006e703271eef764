// What an operation answers. That is the program's code where its class overrides a getter, which may take locks and use other
// operations, or this one.
#ifndef OPTRACE_ASK_H
#define OPTRACE_ASK_H

#include "strings.h"

#if OPTRACE_HAS_HOOKS
bool ask_is_finished(void *operation);
bool ask_is_executing(void *operation);
bool ask_is_cancelled(void *operation);
bool ask_is_asynchronous(void *operation);
// Owned by the caller. Nil also if this program's strings cannot be read.
swift_string ask_name(void *operation);
// An array of operations, owned by the caller.
void *ask_dependencies(void *operation);
// As the format has them.
int8_t ask_priority(void *operation);
uint8_t ask_quality(void *operation);
// Waits until it is finished.
void ask_wait(void *operation);

// Foundation's cases as the format has them, from their places in its enumerations.
int8_t priority_number(uint8_t place);
uint8_t quality_number(uint8_t place);

// Compares Foundation's cases with what is known of them. Null, or what does not fit; then priorities and qualities are not told.
const char *cases_prove(void);
#endif

#endif
