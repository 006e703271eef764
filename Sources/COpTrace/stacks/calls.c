#include "calls.h"

#include <stddef.h>

#include "supported.h"

#if OPTRACE_STACKS

#include <sys/syscall.h>

#define known(kind, name) {SYS_##name, kind, #name}

static const sleep_call calls[] = {
    known(sleep_futex, futex),
    known(sleep_poll, ppoll),
    known(sleep_poll, pselect6),
    known(sleep_poll, epoll_pwait),
    known(sleep_time, nanosleep),
    known(sleep_time, clock_nanosleep),
    known(sleep_input, read),
    known(sleep_input, readv),
    known(sleep_input, pread64),
    known(sleep_input, preadv),
    known(sleep_input, write),
    known(sleep_input, writev),
    known(sleep_input, pwrite64),
    known(sleep_input, pwritev),
    known(sleep_input, openat),
    known(sleep_input, connect),
    known(sleep_input, accept),
    known(sleep_input, accept4),
    known(sleep_input, recvfrom),
    known(sleep_input, recvmsg),
    known(sleep_input, sendto),
    known(sleep_input, sendmsg),
    known(sleep_input, fsync),
    known(sleep_input, fdatasync),
    known(sleep_input, flock),
    known(sleep_input, fcntl),
    known(sleep_input, ioctl),
    known(sleep_input, splice),
    known(sleep_input, sendfile),
    known(sleep_child, wait4),
    known(sleep_child, waitid),
    known(sleep_signal, rt_sigtimedwait),
    known(sleep_signal, rt_sigsuspend),
// arm64 has no older forms.
#if defined(SYS_poll)
    known(sleep_poll, poll),
    known(sleep_poll, select),
    known(sleep_poll, epoll_wait),
    known(sleep_input, open),
    known(sleep_signal, pause),
#endif
#if defined(SYS_epoll_pwait2)
    known(sleep_poll, epoll_pwait2),
#endif
#if defined(SYS_io_uring_enter)
    known(sleep_input, io_uring_enter),
#endif
};

const sleep_call *sleep_call_find(int32_t call) {
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].call == call) return &calls[i];
  return NULL;
}

#else

const sleep_call *sleep_call_find(int32_t call) {
  (void)call;
  return NULL;
}

#endif
