#include "jobs.h"

#include "../book/book.h"

#if OPTRACE_HAS_HOOKS
#include <string.h>

job_functions swift_jobs;

// A program with the runtime linked into it may lack the function for this, because nothing else calls it.
static uint16_t flags_offset;
static SWIFT uint64_t flags_in_job(const void *job) {
  uint32_t flags;
  memcpy(&flags, (const char *)job + flags_offset, sizeof flags);
  return flags;
}

bool jobs_read_layout(void) { return swift_jobs.flags == flags_in_job; }

bool jobs_prepare(bool is_in_program, const optrace_task_layout *layout) {
  swift_jobs.current = (SWIFT void *(*)(void))book_find("swift_task_getCurrent");
  swift_jobs.id = (SWIFT uint64_t (*)(const void *))book_find("swift_task_getJobTaskId");
  swift_jobs.flags = (SWIFT uint64_t (*)(const void *))book_find("swift_task_getJobFlags");
  if (!swift_jobs.flags && is_in_program && layout) {
    flags_offset = layout->flags;
    swift_jobs.flags = flags_in_job;
  }
  swift_jobs.name = (SWIFT const char *(*)(void))book_find("swift_task_getCurrentTaskName");
  swift_jobs.is_cancelled = (SWIFT bool (*)(const void *))book_find("swift_task_isCancelled");
  return swift_jobs.current && swift_jobs.id && swift_jobs.flags;
}
#endif
