// What `optrace record` asks of the program that it runs, and of every program that this one runs: `OPTRACE_RECORD=FOLDER` is where
// they report their traces.
#ifndef OPTRACE_REQUEST_H
#define OPTRACE_REQUEST_H

// The path that a pattern stands for in this process; the caller frees it. NULL: memory is out.
char *request_path(const char *pattern);
// As `optrace_complain`.
void request_complain(const char *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define NOTHING_IS_RECORDED "nothing is recorded"

#endif
