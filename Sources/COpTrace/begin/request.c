// A note is a symbolic link whose target is the text of the note, because a process that may not write files can still make a link.
// The command holds a lock on a file in the folder while it runs; the file contains its process id.
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/settings.h"
#include "COpTraceBegin.h"
#include "paths.h"

static const char *folder(void) {
  const char *request = setting("OPTRACE_RECORD");
  return request && request[0] == '/' ? request : NULL;
}

static char *file_in(const char *request, const char *name) {
  size_t size = strlen(request) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", request, name);
  return path;
}

// The process id of the command; 0: it has ended.
static pid_t command(const char *request) {
  char *path = file_in(request, "command");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  free(path);
  if (file < 0) return 0;
  struct flock question = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  bool is_held = fcntl(file, F_GETLK, &question) == 0 && question.l_type != F_UNLCK && question.l_pid > 0;
  close(file);
  return is_held ? question.l_pid : 0;
}

char *request_path(const char *pattern) {
  const char *request = folder();
  // The program itself writes the requested file. Its child processes, whose parent is not the command, insert their process id
  // before the extension. After `exec` the program still has the command as its parent, so it keeps the file name.
  bool is_child = request && !strstr(pattern, "%p") && command(request) != getppid();
  char *inserted = is_child ? path_inserting(".%p", pattern) : strdup(pattern);
  char *path = inserted ? path_numbered(inserted) : NULL;
  free(inserted);
  return path;
}

// Leaves a note; a process may leave several. Errors are ignored, because a command that has ended needs no note.
static void note(char sign, const char *text) {
  const char *request = folder();
  if (!request) return;
  // A symbolic link's target cannot be longer.
  enum { longest = PATH_MAX - 1 };
  char target[longest + 1], name[48];
  target[0] = sign;
  size_t length = strnlen(text, longest - 1);
  memcpy(target + 1, text, length);
  target[length + 1] = 0;
  for (int number = 0; number < 1000; number++) {
    snprintf(name, sizeof name, "%ld-%d", (long)getpid(), number);
    char *path = file_in(request, name);
    bool is_taken = path && symlink(target, path) != 0 && errno == EEXIST;
    free(path);
    if (!is_taken) return;
  }
}

static request_listener listener;

void request_tell(request_listener to) { listener = to; }

void optrace_note_recording(const char *path) {
  if (listener.recording) listener.recording(path);
  note('+', path);
}

// A path may have a line end and whatever else makes the service that runs a job see a command (`::error::`, `##[error]`) or steers a
// terminal. `length`: without the sentence's own line end.
static void make_harmless(char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    bool is_control = (uint8_t)text[i] < ' ' || text[i] == 0x7F;
    if (is_control || (i && text[i] == '#' && text[i - 1] == '#')) text[i] = '?';
  }
}

void request_complain(const char *result, const char *format, ...) {
  char *why = NULL, *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&why, format, arguments) < 0) why = NULL;
  va_end(arguments);
  if (!why) return;
  if (listener.complaint) {
    listener.complaint(why, result);
    free(why);
    return;
  }
  note('-', why);
  int length = asprintf(&text, "optrace: %s; %s\n", why, result);
  if (length >= 0) {
    make_harmless(text, (size_t)length - 1);
    optrace_say(text, (size_t)length);
    free(text);
  }
  free(why);
}

void optrace_complain(const char *why, const char *result) { request_complain(result, "%s", why); }
