// Creates the file of a trace: always a new inode (a process that has the old one mapped keeps it), never through a symbolic link,
// and private to its user.
#ifndef OPTRACE_CREATE_H
#define OPTRACE_CREATE_H

typedef enum { created, not_created, is_no_trace } creation;

typedef struct {
  creation result;
  int descriptor;  // Open for reading and writing, and empty.
  int error;       // Of what was not created; else 0.
  char *path;      // Of the file, or of what is in the way; the caller frees it. NULL: memory is out, and nothing was created.
} created_file;

// An existing trace is replaced if its writer is done. While another recorder still writes it, a number is added to the name.
created_file trace_file_create(const char *path);

#endif
