// A thread that waits in such a call does nothing else: in a task or a block it takes a thread from the pool, in a turn it holds up the loop.
// Waits below a millisecond are not recorded, nor is a call that took longer with a descriptor that never waits (O_NONBLOCK): its thread had
// no processor. `epoll_wait` and `poll` of event loops are in loops.c.
#include "calls.h"

#include "../waits/calls.h"
#include "inside.h"

#if OPTRACE_HAS_HOOKS
#include <netdb.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  index_select, index_pselect, index_accept, index_accept4, index_connect, index_recv, index_recvfrom, index_recvmsg, index_send,
  index_sendto, index_sendmsg, index_read, index_readv, index_pread, index_pread64, index_write, index_writev, index_pwrite,
  index_pwrite64, index_flock, index_waitpid, index_wait4, index_waitid, index_getaddrinfo,
};

static ORDERED_BY_EXCHANGE void *real(uint32_t index) { return call_imports[index].real; }

// Always inlined into the hook, because the stack is walked from the hook's frame.
static inline __attribute__((always_inline)) thread_buffer *begin(waiting_call call, int file, const void *detail) {
  if (!inside_is_likely()) return NULL;
  thread_buffer *wait = inside_begin(call_object(call, (uint32_t)file), stack_here());
  if (wait && detail) wait_note_detail(wait, (uint64_t)(uintptr_t)detail);
  return wait;
}

// A hook that makes the call once and unchanged. `file` and `detail` may use the parameters.
#define HOOK(type, name, call, file, detail, parameters, arguments)   \
  static type hook_##name parameters {                                \
    type(*make) parameters = real(index_##name);                      \
    thread_buffer *wait = begin(call, (int)(file), detail);           \
    type result = make arguments;                                     \
    if (wait) inside_end(wait);                                       \
    return result;                                                    \
  }

HOOK(int, select, call_select, call_without_file, NULL, (int count, fd_set *reads, fd_set *writes, fd_set *others, struct timeval *time),
     (count, reads, writes, others, time))
HOOK(int, pselect, call_select, call_without_file, NULL,
     (int count, fd_set *reads, fd_set *writes, fd_set *others, const struct timespec *time, const sigset_t *mask),
     (count, reads, writes, others, time, mask))
HOOK(int, accept, call_accept, file, NULL, (int file, struct sockaddr *from, socklen_t *length), (file, from, length))
HOOK(int, accept4, call_accept, file, NULL, (int file, struct sockaddr *from, socklen_t *length, int flags), (file, from, length, flags))
HOOK(int, connect, call_connect, file, to, (int file, const struct sockaddr *to, socklen_t length), (file, to, length))
HOOK(ssize_t, recv, call_recv, file, NULL, (int file, void *into, size_t size, int flags), (file, into, size, flags))
HOOK(ssize_t, recvfrom, call_recv, file, NULL,
     (int file, void *into, size_t size, int flags, struct sockaddr *from, socklen_t *length), (file, into, size, flags, from, length))
HOOK(ssize_t, recvmsg, call_recv, file, NULL, (int file, struct msghdr *message, int flags), (file, message, flags))
HOOK(ssize_t, send, call_send, file, NULL, (int file, const void *from, size_t size, int flags), (file, from, size, flags))
HOOK(ssize_t, sendto, call_send, file, NULL,
     (int file, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t length), (file, from, size, flags, to, length))
HOOK(ssize_t, sendmsg, call_send, file, NULL, (int file, const struct msghdr *message, int flags), (file, message, flags))
HOOK(ssize_t, read, call_read, file, NULL, (int file, void *into, size_t size), (file, into, size))
HOOK(ssize_t, readv, call_read, file, NULL, (int file, const struct iovec *into, int count), (file, into, count))
HOOK(ssize_t, pread, call_read, file, NULL, (int file, void *into, size_t size, off_t at), (file, into, size, at))
HOOK(ssize_t, pread64, call_read, file, NULL, (int file, void *into, size_t size, int64_t at), (file, into, size, at))
HOOK(ssize_t, write, call_write, file, NULL, (int file, const void *from, size_t size), (file, from, size))
HOOK(ssize_t, writev, call_write, file, NULL, (int file, const struct iovec *from, int count), (file, from, count))
HOOK(ssize_t, pwrite, call_write, file, NULL, (int file, const void *from, size_t size, off_t at), (file, from, size, at))
HOOK(ssize_t, pwrite64, call_write, file, NULL, (int file, const void *from, size_t size, int64_t at), (file, from, size, at))
HOOK(int, flock, call_flock, file, NULL, (int file, int operation), (file, operation))
HOOK(pid_t, waitpid, call_child, process, NULL, (pid_t process, int *status, int options), (process, status, options))
HOOK(pid_t, wait4, call_child, process, NULL, (pid_t process, int *status, int options, struct rusage *usage),
     (process, status, options, usage))
HOOK(int, waitid, call_child, type == P_PID ? (int)process : -1, NULL, (idtype_t type, id_t process, siginfo_t *status, int options),
     (type, process, status, options))
HOOK(int, getaddrinfo, call_lookup, call_without_file, host,
     (const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found), (host, service, hints, found))

#define CALL(name) [index_##name] = {#name, hook_##name}

hooked_import call_imports[] = {
  CALL(select), CALL(pselect), CALL(accept), CALL(accept4), CALL(connect), CALL(recv), CALL(recvfrom), CALL(recvmsg), CALL(send),
  CALL(sendto), CALL(sendmsg), CALL(read), CALL(readv), CALL(pread), CALL(pread64), CALL(write), CALL(writev), CALL(pwrite),
  CALL(pwrite64), CALL(flock), CALL(waitpid), CALL(wait4), CALL(waitid), CALL(getaddrinfo), {0},
};
#endif
