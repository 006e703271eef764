// Linux's perf events (`man perf_event_open`). Software events work without a processor's counters, as in virtual machines.
#include "events.h"

#include <errno.h>
#include <string.h>

#if defined(__linux__)

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/filter.h"
#include "../stacks/supported.h"

// The kernel's numbers of registers; it stores the ones that are asked for in the order of their numbers.
#if defined(__x86_64__)
enum { kernel_bp = 6, kernel_sp = 7, kernel_pc = 8 };
#elif defined(__aarch64__)
enum { kernel_bp = 29, kernel_sp = 31, kernel_pc = 32 };
#endif
enum { asked_registers = 3 };

#if OPTRACE_STACKS

// ---- Opening -------------------------------------------------------------------------------------------------------

static int open_event(struct perf_event_attr *attributes, uint32_t tid, uint32_t processor) {
  return (int)syscall(SYS_perf_event_open, attributes, (int)tid, (int)processor, -1, PERF_FLAG_FD_CLOEXEC);
}

// Whether a filter of system calls, which was there before the program began, kills whoever makes this call: as systemd's do, unlike those of
// containers. Tried in a child that does nothing else, and of which the program hears nothing.
static bool is_deadly(void) {
  enum { any_child = 0x40000000 };  // __WALL, also those that send no signal.
  if (!system_began_filtered()) return false;
  int status = 0;
  long child = syscall(SYS_clone, 0l, 0l, 0l, 0l, 0l);
  if (child == 0) {
    syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0ul);
    for (;;) syscall(SYS_exit_group, 0);
  }
  long ended;
  while (child > 0 && (ended = syscall(SYS_wait4, child, &status, any_child, NULL)) < 0 && errno == EINTR) {}
  return child > 0 && ended == child && WIFSIGNALED(status);
}

static struct perf_event_attr attributes_of(const cpu_events *events) {
  struct perf_event_attr attributes = {
    .type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = events->period,
    .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
    .sample_regs_user = 1ull << kernel_bp | 1ull << kernel_sp | 1ull << kernel_pc, .sample_stack_user = events->stack_bytes,
    .inherit = 1, .exclude_hv = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
  };
  attributes.exclude_kernel = !events->sees_kernel;
  // No wake-ups: the flusher reads the rings from time to time.
  attributes.watermark = 1;
  attributes.wakeup_watermark = UINT32_MAX;
#if defined(PERF_ATTR_SIZE_VER7)
  // Inherited by new threads only, and not by child processes. Since Linux 5.13.
  attributes.inherit_thread = 1;
#endif
  return attributes;
}

// Opens an event. If the kernel is too old for a flag, leaves that out. If sampling inside the kernel needs a privilege, does without it.
static int open_event_as_allowed(cpu_events *events, struct perf_event_attr *attributes, uint32_t tid, uint32_t processor) {
  for (;;) {
    int file = open_event(attributes, tid, processor);
    if (file >= 0) return file;
#if defined(PERF_ATTR_SIZE_VER7)
    if (errno == EINVAL && attributes->inherit_thread) {
      attributes->inherit_thread = 0;
      continue;
    }
#endif
    if ((errno == EACCES || errno == EPERM) && !attributes->exclude_kernel) {
      attributes->exclude_kernel = 1;
      events->sees_kernel = false;
      continue;
    }
    return -1;
  }
}

// Ordinary users may lock only little memory, so the rings are made smaller until they fit.
static int map_rings(cpu_events *events) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), least = 1;
  while (least < 4 * (size_t)events->stack_bytes) least *= 2;
  for (;; events->ring_bytes /= 2) {
    uint32_t mapped = 0;
    int error = 0;
    for (; mapped < events->processors; mapped++) {
      if (events->rings[mapped].file < 0) continue;
      void *pages = mmap(NULL, page + events->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, events->rings[mapped].file, 0);
      if (pages == MAP_FAILED) {
        error = errno;
        break;
      }
      events->rings[mapped].pages = pages;
    }
    if (!error) return 0;
    for (uint32_t i = 0; i < mapped; i++)
      if (events->rings[i].pages) {
        munmap(events->rings[i].pages, page + events->ring_bytes);
        events->rings[i].pages = NULL;
      }
    if ((error != EPERM && error != ENOMEM) || events->ring_bytes / 2 < least) return error;
  }
}

// The size of a ring that holds a quarter of a second of one processor's samples, in bytes.
static size_t wanted_ring(const cpu_events *events) {
  enum { smallest = 256 * 1024, largest = 2 << 20, most_together = 16 << 20 };
  uint64_t samples = 250000000 / events->period + 1;
  size_t bytes = smallest;
  while (bytes < largest && bytes < samples * events->stack_bytes && bytes * 2 * events->processors <= most_together) bytes *= 2;
  return bytes;
}

int events_open(cpu_events *events, uint64_t period, uint32_t stack_bytes) {
  memset(events, 0, sizeof *events);
  if (is_deadly()) return EPERM;
  long processors = sysconf(_SC_NPROCESSORS_CONF);
  events->period = period;
  events->stack_bytes = stack_bytes;
  events->process = (uint32_t)getpid();
  events->sees_kernel = true;
  events->processors = processors < 1 ? 1 : processors > events_most_processors ? events_most_processors : (uint32_t)processors;
  events->ring_bytes = wanted_ring(events);
  struct perf_event_attr attributes = attributes_of(events);
  int error = 0;
  uint32_t opened = 0;
  for (uint32_t i = 0; i < events->processors; i++) {
    events->rings[i].file = open_event_as_allowed(events, &attributes, 0, i);
    opened += events->rings[i].file >= 0;
    // A processor may be offline.
    if (events->rings[i].file < 0 && errno != ENODEV && !error) error = errno;
  }
  if (!error && !opened) error = ENODEV;
  if (!error) error = map_rings(events);
  events->scratch = error ? NULL : malloc(UINT16_MAX + 1);
  if (!error && !events->scratch) error = ENOMEM;
  if (error) events_close(events);
  return error;
}

static bool keep_file(cpu_events *events, int file) {
  if (events->file_count == events->file_room) {
    uint32_t room = events->file_room ? events->file_room * 2 : 64;
    int *files = realloc(events->files, room * sizeof *files);
    if (!files) return false;
    events->files = files;
    events->file_room = room;
  }
  events->files[events->file_count++] = file;
  return true;
}

// Opens a thread's events for all processors. False: not for all of them.
static bool cover(cpu_events *events, uint32_t tid) {
  struct perf_event_attr attributes = attributes_of(events);
  bool is_covered = true;
  for (uint32_t i = 0; i < events->processors; i++) {
    if (!events->rings[i].pages) continue;
    int file = open_event_as_allowed(events, &attributes, tid, i);
    if (file < 0 && errno == ESRCH) return true;  // The thread has ended meanwhile.
    bool is_kept = file >= 0 && ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, events->rings[i].file) == 0 && keep_file(events, file);
    if (!is_kept && file >= 0) close(file);
    is_covered = is_covered && is_kept;
  }
  return is_covered;
}

void events_cover_others(cpu_events *events, uint32_t but, uint32_t nor) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads) return;
  // A thread that is created while the list is read may be missed, unless its creator is already covered.
  for (const struct dirent *entry; (entry = readdir(threads));) {
    uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
    if (tid && tid != but && tid != nor && !cover(events, tid)) events->missing++;
  }
  closedir(threads);
}

void events_close_files(cpu_events *events) {
  for (uint32_t i = 0; i < events->processors; i++) {
    if (events->rings[i].file >= 0) close(events->rings[i].file);
    events->rings[i].file = -1;
  }
}

void events_close(cpu_events *events) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (uint32_t i = 0; i < events->file_count; i++) close(events->files[i]);
  free(events->files);
  events_close_files(events);
  for (uint32_t i = 0; i < events->processors; i++)
    if (events->rings[i].pages) munmap(events->rings[i].pages, page + events->ring_bytes);
  free(events->scratch);
  memset(events, 0, sizeof *events);
}

// ---- Reading -------------------------------------------------------------------------------------------------------

static uint64_t word_at(const uint8_t *record, size_t offset) {
  uint64_t word;
  memcpy(&word, record + offset, 8);
  return word;
}

static uint32_t half_at(const uint8_t *record, size_t offset) {
  uint32_t half;
  memcpy(&half, record + offset, 4);
  return half;
}

// False: the record does not have the form that was requested.
static bool read_sample(const uint8_t *record, size_t size, uint32_t process, bool is_in_kernel, cpu_sample *out) {
  size_t at = sizeof(struct perf_event_header) + 24;
  if (size < at) return false;
  *out = (cpu_sample){.tid = half_at(record, 12), .time = word_at(record, 16), .is_in_kernel = is_in_kernel, .times = 1};
  if (half_at(record, 8) != process) return false;
  bool has_registers = word_at(record, 24) != PERF_SAMPLE_REGS_ABI_NONE;
  if (has_registers) {
    if (size < at + 8 * asked_registers + 8) return false;
    out->bp = word_at(record, at);
    out->sp = word_at(record, at + 8);
    out->pc = word_at(record, at + 16);
    at += 8 * asked_registers;
  }
  if (size < at + 8) return true;
  uint64_t room = word_at(record, at);
  if (!room || room > size || size < at + 8 + room + 8) return true;
  uint64_t used = word_at(record, at + 8 + room);
  out->stack = record + at + 8;
  out->bytes = used < room ? used : room;
  return true;
}

static const uint8_t *whole_record(const cpu_events *events, const uint8_t *ring, uint64_t tail, size_t size) {
  size_t from = tail & (events->ring_bytes - 1), first = events->ring_bytes - from;
  if (first >= size) return ring + from;
  memcpy(events->scratch, ring + from, first);
  memcpy(events->scratch + first, ring, size - first);
  return events->scratch;
}

static uint32_t drain_ring(cpu_events *events, void *pages, cpu_sample_taker take, void *context) {
  struct perf_event_mmap_page *page = pages;
  const uint8_t *ring = (const uint8_t *)pages + sysconf(_SC_PAGESIZE);
  uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
  uint32_t taken = 0;
  while (head - tail >= sizeof(struct perf_event_header)) {
    struct perf_event_header header;
    memcpy(&header, ring + (tail & (events->ring_bytes - 1)), sizeof header);
    if (header.size < sizeof header || header.size > head - tail) {
      tail = head;
      break;
    }
    const uint8_t *record = whole_record(events, ring, tail, header.size);
    cpu_sample sample;
    bool is_in_kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if (header.type == PERF_RECORD_LOST && header.size >= 24) events->lost += word_at(record, 16);
    if (header.type == PERF_RECORD_SAMPLE && read_sample(record, header.size, events->process, is_in_kernel, &sample)) {
      take(context, &sample);
      taken++;
    }
    tail += header.size;
    // Free the room after each record, so that the kernel can use it soon.
    __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
  return taken;
}

bool events_have_any(const cpu_events *events) {
  for (uint32_t i = 0; i < events->processors; i++) {
    const struct perf_event_mmap_page *page = events->rings[i].pages;
    if (page && __atomic_load_n(&page->data_head, __ATOMIC_RELAXED) != page->data_tail) return true;
  }
  return false;
}

uint32_t events_drain(cpu_events *events, cpu_sample_taker take, void *context) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < events->processors; i++)
    if (events->rings[i].pages) taken += drain_ring(events, events->rings[i].pages, take, context);
  return taken;
}

#else

#define OPTRACE_NO_EVENTS 1

#endif
#else
#define OPTRACE_NO_EVENTS 1
#endif

#if defined(OPTRACE_NO_EVENTS)

int events_open(cpu_events *events, uint64_t period, uint32_t stack_bytes) {
  (void)period, (void)stack_bytes;
  memset(events, 0, sizeof *events);
  return ENOSYS;
}
void events_cover_others(cpu_events *events, uint32_t but, uint32_t nor) { (void)events, (void)but, (void)nor; }
void events_close_files(cpu_events *events) { (void)events; }
bool events_have_any(const cpu_events *events) { return (void)events, false; }
uint32_t events_drain(cpu_events *events, cpu_sample_taker take, void *context) {
  return (void)events, (void)take, (void)context, 0u;
}
void events_close(cpu_events *events) { (void)events; }

#endif
