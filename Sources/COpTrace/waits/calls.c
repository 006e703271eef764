#include "calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../base/utf8.h"
#include "../stacks/peek.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

bool call_never_waits(uint64_t object) {
  optrace_unblocked_fields fields = optrace_unblocked_read(object);
  uint64_t call = fields.object >> 28 & 0x7FFFF, file = fields.object & call_without_file;
  bool has_flag = call == call_accept || call == call_connect || call == call_recv || call == call_send || call == call_read ||
                  call == call_write;
  if (fields.kind != optrace_object_call || !has_flag || file == call_without_file || !system_call_begins()) return false;
  int error = errno;
  int flags = fcntl((int)file, F_GETFL);
  errno = error;
  system_call_ends();
  return flags >= 0 && (flags & O_NONBLOCK);
}

// Both parts of what is told: `recv` and `from`.
static const struct {
  const char *name, *joint;
} words[] = {
  [call_poll] = {"poll", "of"}, [call_select] = {"select", "of"}, [call_accept] = {"accept", "on"}, [call_connect] = {"connect", "to"},
  [call_recv] = {"recv", "from"}, [call_send] = {"send", "to"}, [call_read] = {"read", "from"}, [call_write] = {"write", "to"},
  [call_flock] = {"flock", "of"}, [call_child] = {"wait", "for"}, [call_lookup] = {"getaddrinfo", "of"},
};

typedef union {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_un local;
} address;

static void write_address(const address *of, socklen_t length, char *out, size_t size) {
  char host[INET6_ADDRSTRLEN];
  enum { path_begins = offsetof(struct sockaddr_un, sun_path) };
  switch (of->any.sa_family) {
    case AF_INET:
      snprintf(out, size, "%s:%u", inet_ntop(AF_INET, &of->v4.sin_addr, host, sizeof host), ntohs(of->v4.sin_port));
      return;
    case AF_INET6:
      snprintf(out, size, "[%s]:%u", inet_ntop(AF_INET6, &of->v6.sin6_addr, host, sizeof host), ntohs(of->v6.sin6_port));
      return;
    case AF_UNIX:
      // A pair of sockets has no name; an abstract name begins with a zero.
      if (length > path_begins && of->local.sun_path[0]) {
        snprintf(out, size, "%.*s", (int)(length - path_begins), of->local.sun_path);
        return;
      }
  }
  snprintf(out, size, "a socket");
}

static void write_socket(int file, bool is_listening, char *out, size_t size) {
  address of = {.any.sa_family = AF_UNSPEC};
  socklen_t length = sizeof of;
  bool has = is_listening ? getsockname(file, &of.any, &length) == 0 : getpeername(file, &of.any, &length) == 0;
  if (!has) of.any.sa_family = AF_UNSPEC;
  write_address(&of, length, out, size);
}

// What has a descriptor and no name: as its link says, and for people.
static const struct {
  const char *link, *words;
} unnamed[] = {
  {"anon_inode:[eventpoll]", "an epoll set"}, {"anon_inode:[eventfd]", "an eventfd"}, {"anon_inode:[timerfd]", "a timer"},
  {"anon_inode:[signalfd]", "signals"}, {"anon_inode:inotify", "changes of files"},
};

static void write_file(int file, char *out, size_t size) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, out, size - 1);
  out[length > 0 ? length : 0] = 0;
  if (out[0] == '/') return;
  const char *found = "a file";
  for (size_t index = 0; index < sizeof unnamed / sizeof *unnamed; index++)
    if (strcmp(out, unnamed[index].link) == 0) found = unnamed[index].words;
  snprintf(out, size, "%s", found);
}

static void write_descriptor(int file, bool is_listening, char *out, size_t size) {
  struct stat status;
  if (fstat(file, &status) != 0) snprintf(out, size, "descriptor %d", file);
  else if (S_ISSOCK(status.st_mode)) write_socket(file, is_listening, out, size);
  else if (S_ISFIFO(status.st_mode)) snprintf(out, size, "a pipe");
  else write_file(file, out, size);
}

// Where `connect` goes, while it has no peer yet. Nobody says that all of the address is there.
static bool write_target(uint64_t at, char *out, size_t size) {
  address to;
  if (!at || !peek_all(at, &to, sizeof to.any.sa_family)) return false;
  bool is_v4 = to.any.sa_family == AF_INET;
  if (!is_v4 && to.any.sa_family != AF_INET6) return false;
  if (!peek_all(at, &to, is_v4 ? sizeof to.v4 : sizeof to.v6)) return false;
  write_address(&to, 0, out, size);
  return true;
}

static void write_what(waiting_call call, uint32_t file, uint64_t detail, char *out, size_t size) {
  if (call == call_child) {
    if (file == call_without_file) snprintf(out, size, "a child");
    else snprintf(out, size, "process %u", file);
  } else if (call == call_lookup) {
    snprintf(out, size, "%s", detail ? (const char *)(uintptr_t)detail : "a host");
  } else if (call == call_connect && write_target(detail, out, size)) {
    return;
  } else if (file == call_without_file) {
    snprintf(out, size, "several descriptors");
  } else if (system_call_begins()) {
    write_descriptor((int)file, call == call_accept, out, size);
    system_call_ends();
  } else {
    snprintf(out, size, "descriptor %u", file);
  }
}

size_t call_words(uint64_t object, uint64_t detail, char *out, size_t size) {
  uint64_t call = object >> 28 & 0x7FFFF;
  if (call >= sizeof words / sizeof *words) return 0;
  char what[200] = "";
  write_what((waiting_call)call, object & call_without_file, detail, what, sizeof what);
  char text[232];
  snprintf(text, sizeof text, "%s %s %s", words[call].name, words[call].joint, what);
  size_t length = utf8_length(text, size);
  memcpy(out, text, length);
  return length;
}

#else

bool call_never_waits(uint64_t object) { return (void)object, false; }
size_t call_words(uint64_t object, uint64_t detail, char *out, size_t size) { return (void)object, (void)detail, (void)out, (void)size, 0; }

#endif
