// Starts a thread in another process, by one of its threads that sleeps in a system call. Nothing is left to do for the tracer once the
// borrowed thread goes on, so that the program is not harmed if this process is killed at any moment: the borrowed thread starts the
// other one, puts everything back by itself, and makes its system call again.
//
// x86-64 only.
#ifndef COPTRACE_ATTACH_H
#define COPTRACE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// States and wishes: `attached_…`.
#include "../../OpTracePreload/block.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether this system can do it at all.
bool optrace_attach_is_supported(void);

// ---- Holding a thread ------------------------------------------------------------------------------------------------

// How a system call is made again after the thread was stopped in it.
typedef enum {
  optrace_again_never,    // The program would see that it was interrupted.
  optrace_again_call,     // With the same arguments: it has no limit, or one that is a point in time.
  optrace_again_restart,  // By the kernel's call for that, which knows how much of its limit is left.
} optrace_again;

// A thread that is stopped.
typedef struct {
  int32_t thread;
  int32_t signal;      // It had to be stopped where a signal arrives; it is delivered when the thread is let go. 0: none.
  int64_t call;        // The system call; below 0: none.
  optrace_again again;
  uint64_t pc, sp, bp;
} optrace_held;

typedef enum {
  optrace_hold_done,
  optrace_hold_refused,   // The system does not allow it; see `errno`.
  optrace_hold_ended,     // There is no such thread any more.
} optrace_hold_result;

// Stops a thread. Call it only for one that sleeps in a call of which `optrace_attach_suits` says that it suits. Then call
// `optrace_attach_let_go` or `optrace_attach_lend`, from the same thread of this process.
optrace_hold_result optrace_attach_hold(int32_t thread, optrace_held *out);
// The thread goes on as if it had never been stopped.
void optrace_attach_let_go(const optrace_held *held);

// Whether a thread may be stopped in a system call without the program seeing that. `arguments`: as in `/proc/PID/task/TID/syscall`. Some
// only if they wait for one of these descriptors: `is_plain` is asked.
bool optrace_attach_suits(int64_t call, const uint64_t arguments[6], bool (*is_plain)(void *context, uint64_t descriptor), void *context);

// ---- Lending it -------------------------------------------------------------------------------------------------------

// Functions in the process, by their addresses.
typedef struct {
  uint64_t pthread_create, pthread_detach, errno_location, dlopen, dlsym, dlerror;
} optrace_attach_functions;

typedef struct {
  uint32_t process;
  uint64_t command_start;  // When this process was started, in the system's ticks.
  uint64_t code;       // Where the code goes: room of `optrace_attach_code_size()` bytes that can be executed and that nobody uses.
  uint64_t block;      // Where the block goes: some pages where nothing is mapped.
  const char *library;   // What the new thread loads …
  const char *settings;  // … and with what it calls `optrace_attached`: "NAME=VALUE" texts, each with a zero behind it, and an empty one.
  size_t settings_size;
  optrace_attach_functions functions;
} optrace_attach_plan;

size_t optrace_attach_code_size(void);
// Whether these bytes are the code: it was put there before.
bool optrace_attach_is_code(const uint8_t *bytes, size_t size);
// How much of the stack below a held thread's stack pointer must be there.
enum { optrace_attach_stack_needed = 64 * 1024, optrace_attach_stack_mapped = 24 * 1024 };

typedef enum {
  optrace_lend_done,         // The thread has gone on. What happens now is in the block.
  optrace_lend_too_long,     // The library's path or the settings do not fit.
  optrace_lend_cannot_write, // The memory of the process cannot be written; see `errno`. The thread has been let go.
  optrace_lend_ended,        // The thread has ended.
} optrace_lend_result;

// Lets a held thread start another one, which loads the library. The held thread goes on, whatever the result.
optrace_lend_result optrace_attach_lend(const optrace_held *held, const optrace_attach_plan *plan);

// ---- What has become of it ----------------------------------------------------------------------------------------------------------

// Reads what has become of it. False: there is no block (yet, or any more).
bool optrace_attach_read(uint32_t process, uint64_t block, uint32_t *state, int32_t *error, char *text, size_t size);
// Asks the recorder in the process for something. False: the process has ended.
bool optrace_attach_ask(uint32_t process, uint64_t block, uint32_t what);

#ifdef __cplusplus
}
#endif

#endif
