// How many processors the process may use, and when it was stopped for having used its share.
#ifndef OPTRACE_CONTROL_GROUP_H
#define OPTRACE_CONTROL_GROUP_H

#include <stdint.h>

// The folder of the control group that limits the process's processor time.
typedef struct {
  char folder[512];  // Empty: there is none.
} control_group;

void control_group_find(control_group *out);
// How many nanoseconds the group was stopped so far, because it had used up its share; 0 also where nobody counts.
uint64_t control_group_throttled(const control_group *group);
// Hundredths of processors that the process may use: those that it may run on, and the group's limit.
uint32_t processors_allowed(const control_group *group);
// The number behind a word at the beginning of a line; 0: there is no such line.
uint64_t stat_number(const char *text, const char *word);

#endif
