// Functions of Swift's runtime about jobs. Most jobs run a task until its next suspension.
#ifndef OPTRACE_JOBS_H
#define OPTRACE_JOBS_H

#include "../layouts/swift_abi.h"
#include "../layouts/hooks.h"
#include "COpTraceLayouts.h"

#if OPTRACE_HAS_HOOKS
// The runtime's functions. `name` and `is_cancelled` may be null.
typedef struct {
  SWIFT void *(*current)(void);
  SWIFT uint64_t (*id)(const void *job);
  SWIFT uint64_t (*flags)(const void *job);
  SWIFT const char *(*name)(void);
  SWIFT bool (*is_cancelled)(const void *task);
} job_functions;
extern job_functions swift_jobs;

// Finds the functions. False: a required one is missing. `layout`: of tasks; null: not known.
bool jobs_prepare(bool is_in_program, const optrace_task_layout *layout);
// Whether one of them is missing, and the layout is read in its place.
bool jobs_read_layout(void);

static inline bool job_is_task(const void *job) { return (swift_jobs.flags(job) & job_kind) == job_task; }
static inline bool job_is_let(uint64_t flags) { return flags >> job_let_shift & 1; }
static inline bool job_is_in_group(uint64_t flags) { return flags >> job_group_shift & 1; }
static inline uint32_t job_priority(uint64_t flags) { return (uint32_t)(flags >> job_priority_shift) & 0xFF; }
#endif

#endif
