// Beginning a recording: of a program that is linked with the library, and of one that knows nothing of it.
#ifndef COPTRACE_BEGIN_H
#define COPTRACE_BEGIN_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// A ring below that would hold little but names and threads.
enum { optrace_smallest_capacity = 256 * 1024 };

// What a recorder is asked for.
typedef struct {
  bool use_counter;     // False: the monotonic clock.
  bool is_ring;
  uint64_t capacity;    // Of a ring: bytes of the whole file; raised to the smallest that is of use.
  uint64_t size_limit;  // Of a file that grows: bytes; 0: no limit.
  uint32_t stacks;      // `optrace_stacks_…`
  bool cpu;             // Processor time of operations' code.
  optrace_profile_options profile;  // Where processor time is used; the rate is 0: it is not sampled.
  // What the program calls itself, during the call; null: as its file is called.
  const char *process_name;
} optrace_wishes;

typedef enum { optrace_begun, optrace_not_created, optrace_is_no_trace, optrace_has_no_room, optrace_not_closed } optrace_outcome;
typedef struct {
  optrace_outcome result;
  int error;                   // Of the system; 0: none.
  optrace_recorder *recorder;  // Null unless it was begun.
  int profile_error;           // Why nothing is sampled, of the system; 0: it is, or need not be.
  char *path;                  // Of the file, or of what is in the way; the caller frees it. Null: memory is out.
} optrace_recording;

// Creates the file of a trace, and a recorder that writes there. An existing trace is replaced by a new file if its writer is done.
// While another recorder still writes it, a number is added to the new file's name. Only its user can read it.
optrace_recording optrace_recording_begin(const char *path, const optrace_wishes *wishes);

// Why nothing is sampled, and the remedy; the caller frees it. `error`: as in `profile_error`. Null: memory is out.
char *optrace_profile_refused(const optrace_profile_options *options, int error);

// What failed, with which file, and what to do about it; the caller frees it. `error`: the system's; 0: none. Null: memory is out.
char *optrace_outcome_text(optrace_outcome result, const char *path, int error);

// ---- What the environment asks for ------------------------------------------------------------------------------------

typedef struct {
  char *path;  // Of the file, absolute; the caller frees it.
  optrace_wishes recorder;
  bool dispatch, tasks;
} optrace_environment;
// False: no recording is asked for, or what is asked for makes no sense, which has been said.
bool optrace_environment_read(optrace_environment *out);
// `4096`, `512K`, `16M`, `1G`; 0: it is no size.
uint64_t optrace_bytes(const char *text);
// Reports that this process records to a path, where `optrace record` asks for it.
void optrace_note_recording(const char *path);
// Whoever set the environment's variables expects a trace: says on standard error why there is none, or only a part of one
// (`result`), and reports it. The program runs on.
void optrace_complain(const char *why, const char *result);

// ---- Names ---------------------------------------------------------------------------------------------------------
// What records name by a number is written into the trace once, when its number is first asked for. That locks; who asks often
// caches the number. 0: there is no room, which is counted as a loss; or nothing is recorded.

// How many bytes of a text a record holds: whole characters.
size_t optrace_text_length(const uint8_t *utf8, size_t length);
// Of a text of UTF-8.
uint32_t optrace_text_id(optrace_recorder *recorder, const char *utf8, size_t length);
// As `created` has it: of a class's name, or of the name with the number of the code that its operations run instead of the class's
// own (`optrace_code_id`; 0: none). Describes the class. `module`: null for none.
uint32_t optrace_class_id(optrace_recorder *recorder, const char *name, size_t length, const char *module, size_t module_length,
                          uint32_t code);
// Of a function, by its address; 0 also if it is in no image. Locks only if it is new.
uint32_t optrace_code_id(optrace_recorder *recorder, uint64_t function);

#ifdef __cplusplus
}
#endif

#endif
