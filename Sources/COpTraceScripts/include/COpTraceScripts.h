// What makes pictures answer to pointers and keys: the modules in the folder Scripts, as they were when this was compiled.
#ifndef COPTRACE_SCRIPTS_H
#define COPTRACE_SCRIPTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

size_t optrace_script_count(void);

// Of the module at an index: its name, such as "flame.mjs", and its text in UTF-8. NULL for an index that is too large.
const char *optrace_script_name(size_t index);
const char *optrace_script_text(size_t index);

#ifdef __cplusplus
}
#endif

#endif
