// Creates the trace file. It is always a new inode (a process that has the old file mapped keeps that), it never follows a symbolic
// link, and only its user can read it.
#ifndef OPTRACE_CREATE_H
#define OPTRACE_CREATE_H

typedef enum { created, not_created, is_no_trace } creation;

typedef struct {
  creation result;
  int descriptor;  // Open for reading and writing, and empty.
  int error;       // The errno if nothing was created; else 0.
  char *path;      // The path of the file, or of what is in the way; the caller frees it. NULL: memory is out; nothing was created.
} created_file;

// Replaces an existing trace if its recorder has finished. If another recorder still writes to it, adds a number to the name.
created_file trace_file_create(const char *path);

#endif
