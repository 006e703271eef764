// Memory that `optrace record --pid` (COpTraceAttach) shares with the recorder that it has loaded into a running program.
#ifndef OPTRACE_PRELOAD_BLOCK_H
#define OPTRACE_PRELOAD_BLOCK_H

#include <stdint.h>

enum {
  attached_path_size = 1024,
  attached_settings_size = 3072,
  attached_text_size = 4096,
  attached_block_size = 12 * 1024,
};

// What has become of it. Only grows.
enum {
  attached_nothing = 0,
  attached_no_thread = 1,   // No thread could be created; `error` says why.
  attached_loading = 2,     // The new thread loads the library.
  attached_not_loaded = 3,  // It cannot; the text says why.
  attached_starting = 4,    // The recorder is being started.
  attached_refused = 5,     // It is not; the text says why.
  attached_recording = 6,   // The text has the trace's path, and lines of what is not recorded.
  attached_ended = 7,       // Nothing is recorded any more, and the trace is closed; if the text is not empty, with an error.
};
// What the command wants.
enum { attached_go_on = 0, attached_end = 1, attached_read_all = 2 };

// The offsets are in the code that is put into the program, too.
typedef struct {
  uint32_t state;
  int32_t error;
  uint32_t asked;
  uint32_t text_length;     // Of `text`, which ends with a zero. Set before `state`.
  uint64_t detach, open, find, complain;  // pthread_detach, dlopen, dlsym, dlerror
  uint64_t command_start;   // When the command's process was started, in the system's ticks.
  uint32_t command;         // Its process id. When it has ended, recording ends.
  uint32_t reserved;
  char entry[32];           // The name of the function in the library.
  char path[attached_path_size];
  char settings[attached_settings_size];
  // Behind this nothing is copied.
  char text[attached_text_size];
} attached_block;

#endif
