// The mapped file: reserved on disk before it is mapped, so that a full disk is an error here and never a signal there.
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static uint64_t page_size(void) { return (uint64_t)sysconf(_SC_PAGESIZE); }

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Where the process may have only so much address space, most of it is the program's.
static uint64_t fair_share(uint64_t size) {
  enum { part = 16, least = 1 << 20 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return size;
  uint64_t share = (uint64_t)limit.rlim_cur / part / page_size() * page_size();
  if (share < least) share = least;
  return size < share ? size : share;
}

// Address space for all that the file can become, so that a place in the file is always the same address.
static int reserve_addresses(optrace_recorder *recorder) {
#if defined(__APPLE__)
  uint64_t size = 4ull << 30;
#else
  uint64_t size = 256ull << 30;
#endif
  const optrace_options *options = &recorder->options;
  size = fair_share(size);
  if (options->ring) size = round_up(options->capacity, page_size());
  if (options->size_limit && options->size_limit < size) {
    size = options->size_limit / page_size() * page_size();
    if (size == 0) size = page_size();
  }
  for (;; size /= 2) {
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) {
      recorder->base = base;
      recorder->reserved = size;
      return 0;
    }
    if (options->ring || size <= 1 << 20) return errno;
  }
}

bool file_is(const optrace_recorder *recorder, int descriptor) {
  struct stat info;
  return fstat(descriptor, &info) == 0 && info.st_dev == recorder->device && info.st_ino == recorder->inode;
}

static bool still_ours(const optrace_recorder *recorder) { return file_is(recorder, recorder->descriptor); }

// Somebody may cut the file. Growing it then would only hide that, for the header is gone.
static bool is_cut(const optrace_recorder *recorder, uint64_t bytes) {
  struct stat info;
  return fstat(recorder->descriptor, &info) != 0 || (uint64_t)info.st_size < bytes;
}

// Reserves disk space; 0 or an errno. A file size limit of the process is an error, not a signal.
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
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGXFSZ);
  int error;
  do error = posix_fallocate(descriptor, (off_t)offset, (off_t)count);
  while (error == EINTR);
  if (error && !was_pending) {
    struct timespec none = {0, 0};
    while (sigtimedwait(&limit, NULL, &none) == SIGXFSZ) {}
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
#endif
}

// 0 or an errno.
static int extend(optrace_recorder *recorder, uint64_t count, bool populate) {
  int error = allocate(recorder->descriptor, recorder->mapped, count);
  if (error) return error;
  void *at = recorder->base + recorder->mapped;
  if (mmap(at, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, recorder->descriptor,
           (off_t)recorder->mapped) == MAP_FAILED)
    return errno;
#if defined(MADV_POPULATE_WRITE)
  if (populate) madvise(at, count, MADV_POPULATE_WRITE);  // Page faults here, not on the hot path. Fails harmlessly.
#else
  (void)populate;
#endif
  pthread_mutex_lock(&recorder->lock);
  recorder->mapped += count;
  atomic_store_explicit(&recorder->retry_at, 0, memory_order_relaxed);
  pthread_mutex_unlock(&recorder->lock);
  return 0;
}

bool file_grow(optrace_recorder *recorder, uint64_t needed, bool ahead) {
  pthread_mutex_lock(&recorder->grow);
  bool stopping = recorder->stopping;
  uint64_t used = atomic_load_explicit(&recorder->used, memory_order_relaxed);
  bool done = !stopping && recorder->mapped - used >= needed;
  if (!done && !stopping) {
    uint64_t page = page_size();
    uint64_t limit = recorder->reserved;
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
    // Asking a full disk again and again would cost more than recording.
    if (!done && !ahead)
      atomic_store_explicit(&recorder->retry_at, optrace_clock_monotonic() + 100000000, memory_order_relaxed);
  }
  pthread_mutex_unlock(&recorder->grow);
  return done;
}

int file_open(optrace_recorder *recorder) {
  struct stat info;
  recorder->descriptor = recorder->options.descriptor;
  if (fstat(recorder->descriptor, &info) != 0) return errno;
  recorder->device = info.st_dev;
  recorder->inode = info.st_ino;
  int error = reserve_addresses(recorder);
  if (error) return error;
  recorder->guard = guard_add(recorder, recorder->base, recorder->reserved);
  uint64_t first = recorder->options.ring ? recorder->reserved : 64 * 1024;
  if (first > recorder->reserved) first = recorder->reserved;
  // The ring is filled ahead by the keeper.
  error = extend(recorder, first, !recorder->options.ring);
  if (error) {
    guard_remove(recorder->guard);
    munmap(recorder->base, recorder->reserved);
    recorder->base = NULL;
    return error;
  }
  return 0;
}

// ---- The end -------------------------------------------------------------------------------------------------------

// Seals the chunks that are not, cuts the last one to what it holds and closes the header. Nobody writes any more: the
// mapping has been replaced.
static int finish_file(optrace_recorder *recorder, const uint8_t *final_heartbeat) {
  uint64_t used = atomic_load(&recorder->used);
  if (is_cut(recorder, used)) return EIO;
  uint8_t *view = mmap(NULL, used, PROT_READ | PROT_WRITE, MAP_SHARED, recorder->descriptor, 0);
  if (view == MAP_FAILED) return errno;
  int guard = guard_add(recorder, view, used);
  uint64_t end = used;
  for (uint64_t offset = optrace_header_bytes; offset + sizeof(chunk_header) <= used;) {
    chunk_header *chunk = (chunk_header *)(void *)(view + offset);
    if (chunk->magic != chunk_magic || chunk->bytes < sizeof *chunk || chunk->bytes > used - offset) break;
    uint32_t state = atomic_load(&chunk->state);
    bool last = offset + chunk->bytes == used;
    if (last && !recorder->options.ring) {
      chunk->bytes = ((uint32_t)sizeof *chunk + atomic_load(&chunk->fill) + 63) & ~63u;
      end = offset + chunk->bytes;
      state = chunk_open;  // The header has changed.
    }
    if (state == chunk_open || state == chunk_retired) chunk_seal(chunk);
    if (last) break;
    offset += chunk->bytes;
  }
  memcpy(view + optrace_header_heartbeat, final_heartbeat, 32);
  memcpy(view + optrace_header_end_offset, &end, 8);
  uint32_t closed = 2;
  memcpy(view + optrace_header_state, &closed, 4);
  uint64_t checksum = optrace_checksum(0x9E3779B97F4A7C15ull, view + optrace_header_state,
                                       optrace_header_dynamic_checksum - optrace_header_state);
  memcpy(view + optrace_header_dynamic_checksum, &checksum, 8);
  guard_remove(guard);
  munmap(view, used);
  if (!recorder->options.ring && ftruncate(recorder->descriptor, (off_t)end) != 0) return errno;
  return 0;
}

// `grow` and `lock` are free, the keeper has ended, nobody gets a new chunk. A thread may still be inside a record.
int file_close(optrace_recorder *recorder) {
  uint64_t beat[4] = {0, recorder_now(recorder), optrace_clock_monotonic(), optrace_clock_wall()};
  for (uint32_t reason = 0; reason < 8; reason++)
    recorder->lost_at_end[reason] = atomic_load(header_word(recorder, optrace_header_loss + 8 * reason));
  // Storing to a page behind the end of a cut file is a signal: what such a thread stores goes to pages of no file.
  void *replaced = mmap(recorder->base, recorder->mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  int error = 0;
  if (replaced == MAP_FAILED)
    error = errno;
  else if (!still_ours(recorder))
    error = EBADF;
  else
    error = finish_file(recorder, (const uint8_t *)beat);
  if (still_ours(recorder)) close(recorder->descriptor);
  guard_remove(recorder->guard);
  if (recorder->reserved > recorder->mapped)
    munmap(recorder->base + recorder->mapped, recorder->reserved - recorder->mapped);
  return error;
}

