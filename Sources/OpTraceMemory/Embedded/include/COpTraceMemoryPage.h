// The files of this column's part of the report's page, as they were in the folder Page when this was compiled.
#ifndef COPTRACE_MEMORY_PAGE_H
#define COPTRACE_MEMORY_PAGE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

size_t optrace_memory_page_count(void);

// Of the file at an index: its name, such as "memory-tab.mjs", and its text in UTF-8. NULL for an index that is too large.
const char *optrace_memory_page_name(size_t index);
const char *optrace_memory_page_text(size_t index);

#ifdef __cplusplus
}
#endif

#endif
