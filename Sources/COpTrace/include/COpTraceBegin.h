// Begins a recording, of a program that is linked with the library or of one that is not.
#ifndef COPTRACE_BEGIN_H
#define COPTRACE_BEGIN_H

#include "COpTrace.h"

#ifdef __cplusplus
extern "C" {
#endif

// A smaller ring would hold little but names and threads.
enum { optrace_smallest_capacity = 256 * 1024 };

// The options of a recording.
typedef struct {
  bool use_counter;     // False: the monotonic clock.
  bool is_ring;
  uint64_t capacity;    // For a ring: the size of the whole file in bytes, raised to `optrace_smallest_capacity`.
  uint64_t size_limit;  // For a file that grows: the largest size in bytes; 0: no limit.
  uint32_t stacks;      // `optrace_stacks_…`
  bool cpu;             // Record the processor time of operations' code.
  optrace_profile_options profile;  // Samples of where processor time is used; rate 0: none.
  // The program's name for itself, valid during the call; null: use the name of its file.
  const char *process_name;
} optrace_wishes;

typedef enum { optrace_begun, optrace_not_created, optrace_is_no_trace, optrace_has_no_room, optrace_not_closed } optrace_outcome;
typedef struct {
  optrace_outcome result;
  int error;                   // The system's error number; 0: none.
  optrace_recorder *recorder;  // Null unless the recording has begun.
  int profile_error;           // The system's error number if sampling was refused; 0: it was not, or was not wanted.
  char *path;                  // The path of the file, or of what is in the way; the caller frees it. Null: memory is out.
} optrace_recording;

// Creates a trace file, which only its user can read, and a recorder that writes to it. An existing trace is replaced by a new file if
// its recorder has finished. If another recorder still writes to it, a number is added to the new file's name.
optrace_recording optrace_recording_begin(const char *path, const optrace_wishes *wishes);

// Why sampling was refused, and what to do about it; the caller frees the text. `error`: as in `profile_error`. Null: memory is out.
char *optrace_profile_refused(const optrace_profile_options *options, int error);

// What failed, with which file, and what to do about it; the caller frees the text. `error`: the system's error number; 0: none. Null:
// memory is out.
char *optrace_outcome_text(optrace_outcome result, const char *path, int error);

// ---- Options in environment variables ---------------------------------------------------------------------------------

typedef struct {
  char *path;  // The absolute path of the trace file; the caller frees it.
  optrace_wishes recorder;
  bool dispatch, tasks, orders;
  const char *pauses;  // Where threads pause (`optrace_pause`); null: nowhere.
  uint64_t memory;  // Allocations are sampled with this interval; 0: they are not.
} optrace_environment;
// False: no recording is requested, or an option is invalid, which has been reported.
bool optrace_environment_read(optrace_environment *out);
// Parses a size such as `4096`, `512K`, `16M` or `1G`, in bytes; 0: it is not a size.
uint64_t optrace_bytes(const char *text);
// Reports to `optrace record`, if that has started this process, which path it records to.
void optrace_note_recording(const char *path);
// Says on standard error why there is no trace, or only a part of one (`result`), and reports it to `optrace record`: whoever has set
// the environment variables expects a trace. The program continues.
void optrace_complain(const char *why, const char *result);

// ---- Names ---------------------------------------------------------------------------------------------------------
// Records refer to names by number. A name is written into the trace once, when its number is first requested. That takes a lock, so
// callers that need a number often should cache it. 0: there is no room, which is counted as a loss; or nothing is recorded.

// How many bytes of a text fit into a record, without splitting a character.
size_t optrace_text_length(const uint8_t *utf8, size_t length);
// The number of a text in UTF-8.
uint32_t optrace_text_id(optrace_recorder *recorder, const char *utf8, size_t length);
// The number of a class, as in the field of `created`. Describes the class. `code`: the code that its operations run instead of the
// class's own (see `optrace_code_id`; 0: none); a name gets a number for each `code`. `module`: null for none.
uint32_t optrace_class_id(optrace_recorder *recorder, const char *name, size_t length, const char *module, size_t module_length,
                          uint32_t code);
// The number of a function, by its address; 0 also if it is in no image. Takes a lock only if it is new.
uint32_t optrace_code_id(optrace_recorder *recorder, uint64_t function);

#ifdef __cplusplus
}
#endif

#endif
