// Maps the trace file. Disk space is reserved before it is mapped, so that a full disk is an error here, and not a SIGBUS in a thread
// that records.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../base/own_lock.h"
#include "../base/seal.h"
#include "guard.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// If the process's address space is limited (RLIMIT_AS), the recorder takes only a small part of it.
static uint64_t fair_share(uint64_t size) {
  enum { part = 16, least = 1 << 20 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return size;
  uint64_t share = (uint64_t)limit.rlim_cur / part / page_size() * page_size();
  if (share < least) share = least;
  return size < share ? size : share;
}

// ---- Windows -------------------------------------------------------------------------------------------------------

// Reserves a window of addresses, without mapping the file there yet; 0 or an errno.
static int reserve_window(uint64_t offset, uint64_t size, file_window *out) {
  void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return errno;
  *out = (file_window){.at = at, .offset = offset, .size = size, .guard = -1};
  return 0;
}

// Maps the file into the window up to the file offset `end`; disk space is already reserved; 0 or an errno.
static int show_file(const optrace_recorder *recorder, file_window *window, uint64_t end, bool populate) {
  uint8_t *at = window->at + window->mapped;
  uint64_t from = window->offset + window->mapped;
  if (mmap(at, end - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, recorder->descriptor, (off_t)from) ==
      MAP_FAILED)
    return errno;
#if defined(MADV_POPULATE_WRITE)
  if (populate) madvise(at, end - from, MADV_POPULATE_WRITE);  // Take the page faults here, not on the hot path. It may fail.
#else
  (void)populate;
#endif
  window->mapped = end - window->offset;
  return 0;
}

// Sets the largest size of the file, and reserves the first window. A ring is mapped as a whole.
static int open_window(optrace_recorder *recorder) {
#if defined(__APPLE__)
  const uint64_t largest = 4ull << 30;
#else
  const uint64_t largest = 256ull << 30;
#endif
  enum { first_window = 32 << 20, least_window = 1 << 20 };
  const optrace_options *options = &recorder->options;
  uint64_t page = page_size();
  recorder->largest = largest;
  if (options->ring) recorder->largest = round_up(options->capacity, page);
  if (options->size_limit && options->size_limit < recorder->largest) {
    recorder->largest = options->size_limit / page * page;
    if (recorder->largest == 0) recorder->largest = page;
  }
  uint64_t size = recorder->largest;
  if (!options->ring) size = fair_share(size < first_window ? size : first_window);
  int error;
  while ((error = reserve_window(0, size, &recorder->windows[0])) != 0 && !options->ring && size > least_window)
    size /= 2;
  if (error) return error;
  recorder->window_count = 1;
  recorder->base = recorder->windows[0].at;
  recorder->windows[0].guard = guard_add(recorder, recorder->base, size);
  return 0;
}

// Reserves a new window for all later chunks. It begins at the page that contains the next chunk, because a chunk must not span two
// windows. The older windows stay mapped for threads that still write there. 0 or an errno.
static int next_window(const optrace_recorder *recorder, uint64_t end, bool populate, file_window *out) {
  uint64_t page = page_size();
  uint64_t offset = atomic_load_explicit(&recorder->used, memory_order_relaxed) / page * page;
  uint64_t size = recorder->largest - offset;
  uint64_t before = 0;
  for (uint32_t i = 0; i < recorder->window_count; i++) before += recorder->windows[i].size;
  if (size > before) size = before;
  // The program may have lowered the limit since the last window.
  uint64_t share = fair_share(before + size);
  if (share <= before) return ENOMEM;
  if (size > share - before) size = share - before;
  if (recorder->window_count == most_windows || offset + size < end) return ENOMEM;
  int error = reserve_window(offset, size, out);
  if (error) return error;
  out->guard = guard_add((optrace_recorder *)recorder, out->at, size);
  error = show_file(recorder, out, end, populate);
  if (error) {
    guard_remove(out->guard);
    munmap(out->at, size);
  }
  return error;
}

void file_discard(optrace_recorder *recorder) {
  for (uint32_t i = 0; i < recorder->window_count; i++) {
    guard_remove(recorder->windows[i].guard);
    munmap(recorder->windows[i].at, recorder->windows[i].size);
  }
  recorder->window_count = 0;
  recorder->base = NULL;
}

// ---- Growing -------------------------------------------------------------------------------------------------------

bool file_is(const optrace_recorder *recorder, int descriptor) {
  struct stat info;
  return fstat(descriptor, &info) == 0 && info.st_dev == recorder->device && info.st_ino == recorder->inode;
}

static bool still_ours(const optrace_recorder *recorder) { return file_is(recorder, recorder->descriptor); }

// Whether somebody has truncated the file. Growing it again would only hide that, because its contents are gone.
static bool is_cut(const optrace_recorder *recorder, uint64_t bytes) {
  struct stat info;
  return fstat(recorder->descriptor, &info) != 0 || (uint64_t)info.st_size < bytes;
}

#if !defined(__APPLE__)
// Writes zeros; 0 or an errno.
static int fill(int descriptor, uint64_t offset, uint64_t count) {
  static const uint8_t zeros[64 * 1024];
  if (lseek(descriptor, (off_t)offset, SEEK_SET) < 0) return errno;
  while (count) {
    ssize_t written = write(descriptor, zeros, count < sizeof zeros ? count : sizeof zeros);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) count -= (uint64_t)written;
  }
  return 0;
}

// Under a filter of system calls, zeros are written instead, because programs that have one may not have allowed the call.
static int reserve(int descriptor, uint64_t offset, uint64_t count) {
  if (!system_call_begins()) return fill(descriptor, offset, count);
  int error;
  do error = posix_fallocate(descriptor, (off_t)offset, (off_t)count);
  while (error == EINTR);
  system_call_ends();
  return error;
}
#endif

// Reserves disk space; 0 or an errno. If the process's file size limit is reached, that is an error, too: the signal is swallowed.
static int allocate(int descriptor, uint64_t offset, uint64_t count) {
#if defined(__APPLE__)
  fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, (off_t)count, 0};
  if (fcntl(descriptor, F_PREALLOCATE, &store) != 0 && errno != ENOTSUP) return errno;
  return ftruncate(descriptor, (off_t)(offset + count)) == 0 ? 0 : errno;
#else
  sigset_t limit, before, pending;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  sigemptyset(&pending);
  if (!system_is_filtered()) sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGXFSZ);
  int error = reserve(descriptor, offset, count);
  if (error && !was_pending && (error == EFBIG || !system_is_filtered())) {
    struct timespec none = {0, 0};
    while (sigtimedwait(&limit, NULL, &none) == SIGXFSZ) {}
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
#endif
}

// Makes the mapped file longer; 0 or an errno. The caller holds `grow`, or no other thread knows the recorder yet.
static int extend(optrace_recorder *recorder, uint64_t count, bool populate) {
  int error = allocate(recorder->descriptor, recorder->mapped, count);
  if (error) return error;
  uint64_t end = recorder->mapped + count;
  file_window *last = &recorder->windows[recorder->window_count - 1];
  file_window next = {0};
  bool fits = end - last->offset <= last->size;
  error = fits ? show_file(recorder, last, end, populate) : next_window(recorder, end, populate, &next);
  if (error) return error;
  own_lock(&recorder->lock);
  if (!fits) recorder->windows[recorder->window_count++] = next;
  recorder->mapped = end;
  atomic_store_explicit(&recorder->retry_at, 0, memory_order_relaxed);
  pthread_mutex_unlock(&recorder->lock);
  return 0;
}

bool file_grow(optrace_recorder *recorder, uint64_t needed, bool ahead) {
  bool was = own_call_begins();
  own_lock(&recorder->grow);
  bool stopping = recorder->stopping;
  uint64_t used = atomic_load_explicit(&recorder->used, memory_order_relaxed);
  bool done = !stopping && recorder->mapped - used >= needed;
  if (!done && !stopping) {
    uint64_t page = page_size();
    uint64_t limit = recorder->largest;
    if (recorder->options.size_limit && recorder->options.size_limit < limit) limit = recorder->options.size_limit;
    limit = limit / page * page;
    uint64_t most = limit > recorder->mapped ? limit - recorder->mapped : 0;
    uint64_t missing = round_up(needed - (recorder->mapped - used), page);
    uint64_t step = round_up(used / (ahead ? 2 : 8), page);
    if (step < 64 * 1024) step = 64 * 1024;
    if (step > (8u << 20)) step = 8u << 20;
    if (step < missing) step = missing;
    if (step > most) step = most;
    recorder->failure = recorder->options.size_limit ? optrace_loss_size_limit : optrace_loss_no_space;
    if (step >= missing) {
      recorder->failure = optrace_loss_no_space;
      if (still_ours(recorder) && is_cut(recorder, recorder->mapped))
        atomic_store(&recorder->enabled, 0);
      else if (still_ours(recorder))
        done = extend(recorder, step, true) == 0 || (step > missing && extend(recorder, missing, true) == 0);
    }
    // Do not retry at once: asking a full disk for each record would cost more than recording.
    if (!done && !ahead)
      atomic_store_explicit(&recorder->retry_at, optrace_clock_monotonic() + 100000000, memory_order_relaxed);
  }
  pthread_mutex_unlock(&recorder->grow);
  own_call_ends(was);
  return done;
}

int file_open(optrace_recorder *recorder) {
  struct stat info;
  recorder->descriptor = recorder->options.descriptor;
  if (fstat(recorder->descriptor, &info) != 0) return errno;
  recorder->device = info.st_dev;
  recorder->inode = info.st_ino;
  int error = open_window(recorder);
  if (error) return error;
  uint64_t first = recorder->options.ring ? recorder->largest : 64 * 1024;
  if (first > recorder->largest) first = recorder->largest;
  // A ring is large and mapped at once, so its pages are populated later, by the flusher.
  return extend(recorder, first, !recorder->options.ring);
}

// ---- The end -------------------------------------------------------------------------------------------------------

// Seals the remaining chunks, trims the last one to its contents, and closes the header. No thread can write to the file any more,
// because the windows have been replaced with anonymous memory.
static int finish_file(optrace_recorder *recorder, const uint8_t *final_heartbeat) {
  uint64_t used = atomic_load(&recorder->used);
  if (is_cut(recorder, used)) return EIO;
  uint8_t *view = mmap(NULL, used, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->descriptor, 0);
  if (view == MAP_FAILED) return errno;
  int guard = guard_add(recorder, view, used);
  uint64_t end = used;
  for (uint64_t offset = optrace_header_size; offset + sizeof(chunk_header) <= used;) {
    chunk_header *chunk = (chunk_header *)(void *)(view + offset);
    if (chunk->magic != optrace_chunk_magic || chunk->bytes < sizeof *chunk || chunk->bytes > used - offset) break;
    uint32_t state = atomic_load(&chunk->state);
    bool last = offset + chunk->bytes == used;
    if (last && !recorder->options.ring) {
      chunk->bytes = chunk_bytes(atomic_load(&chunk->fill));
      end = offset + chunk->bytes;
      state = optrace_chunk_state_open;  // Seal it again, because its header has changed.
    }
    if (state == optrace_chunk_state_open || state == optrace_chunk_state_retired) chunk_seal(chunk);
    if (last) break;
    offset += chunk->bytes;
  }
  memcpy(view + optrace_header_heartbeat_sequence, final_heartbeat, 32);
  memcpy(view + optrace_header_end_offset, &end, 8);
  // Write "closed" last: a process that is killed before that leaves an open file, not one with a wrong checksum.
  uint8_t sealed[optrace_header_dynamic_checksum - optrace_header_state];
  uint32_t closed = optrace_file_state_closed;
  memcpy(sealed, view + optrace_header_state, sizeof sealed);
  memcpy(sealed, &closed, 4);
  uint64_t checksum = optrace_checksum(0x9E3779B97F4A7C15ull, sealed, sizeof sealed);
  memcpy(view + optrace_header_dynamic_checksum, &checksum, 8);
  atomic_store_explicit((_Atomic uint32_t *)(void *)(view + optrace_header_state), closed, memory_order_release);
  guard_remove(guard);
  munmap(view, used);
  // Under a filter of system calls the file keeps what was reserved behind its end.
  if (recorder->options.ring || !system_call_begins()) return 0;
  int error = ftruncate(recorder->descriptor, (off_t)end) == 0 ? 0 : errno;
  system_call_ends();
  return error;
}

// The caller holds neither `grow` nor `lock`, the flusher has ended, and no thread gets a new chunk. But a thread may still be in the
// middle of a record.
int file_close(optrace_recorder *recorder) {
  uint64_t beat[4] = {0, recorder_now(recorder), optrace_clock_monotonic(), optrace_clock_wall()};
  for (uint32_t reason = 0; reason < 8; reason++)
    recorder->lost_at_end[reason] = atomic_load(header_word(recorder, optrace_header_loss_counts + 8 * reason));
  // Once the file is trimmed, a store behind its end would raise SIGBUS. So the windows get anonymous pages for the threads that are
  // still writing.
  bool replaced = true;
  for (uint32_t i = 0; i < recorder->window_count; i++)
    replaced &= mmap(recorder->windows[i].at, recorder->windows[i].mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  int error = 0;
  if (!replaced)
    error = ENOMEM;
  else if (!still_ours(recorder))
    error = EBADF;
  else if (atomic_load(&recorder->was_cut))
    error = EIO;
  else
    error = finish_file(recorder, (const uint8_t *)beat);
  if (still_ours(recorder)) close(recorder->descriptor);
  for (uint32_t i = 0; i < recorder->window_count; i++) {
    const file_window *window = &recorder->windows[i];
    guard_remove(window->guard);
    if (window->size > window->mapped) munmap(window->at + window->mapped, window->size - window->mapped);
  }
  return error;
}
