// What `optrace record` asks of the program that it runs, and of every program that this one runs: `OPTRACE_RECORD=FOLDER` is where
// they report their traces. See RecordRequest.swift.
#ifndef OPTRACE_REQUEST_H
#define OPTRACE_REQUEST_H

// The path that a pattern stands for in this process; the caller frees it. NULL: memory is out.
char *request_path(const char *pattern);
// Reports that this process records to a path.
void request_note_recording(const char *path);
// Whoever set the environment's variables expects a trace: says on standard error why there is none, or only a part of one
// (`result`), and reports it. The program runs on.
void request_complain(const char *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define NOTHING_IS_RECORDED "nothing is recorded"

#endif
