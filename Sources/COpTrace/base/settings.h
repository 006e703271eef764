// The options of a recording that was begun from outside: environment variables, or what stands for them in a program that ran already.
#ifndef OPTRACE_SETTINGS_H
#define OPTRACE_SETTINGS_H

#include <stdbool.h>

// Null: it is not set.
const char *setting(const char *name);
// From now on these are the settings, and the environment is not asked: texts "NAME=VALUE", each with a zero behind it, and an empty one.
// They are not copied.
void settings_use(const char *texts);
// Whether `settings_use` was called.
bool settings_are_given(void);

#endif
