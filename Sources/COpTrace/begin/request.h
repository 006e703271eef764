// The protocol between `optrace record` and the program that it runs, including the programs that this one runs: they report their
// traces in the folder of `OPTRACE_RECORD=FOLDER`.
#ifndef OPTRACE_REQUEST_H
#define OPTRACE_REQUEST_H

// The path for this process that a pattern stands for; the caller frees it. NULL: memory is out.
char *request_path(const char *pattern);
// The same as `optrace_complain`, with a format.
void request_complain(const char *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Who gets what `optrace_note_recording` and `optrace_complain` would tell, instead of the folder and standard error.
typedef struct {
  void (*recording)(const char *path);
  void (*complaint)(const char *why, const char *result);
} request_listener;
void request_tell(request_listener to);
#define NOTHING_IS_RECORDED "nothing is recorded"

#endif
