#include "header.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/utf8.h"
#include "COpTraceVersion.h"

static void put(uint8_t *header, size_t offset, uint32_t value) { memcpy(header + offset, &value, sizeof value); }
static void put_short(uint8_t *header, size_t offset, uint16_t value) { memcpy(header + offset, &value, sizeof value); }

// Stores a text with a terminating zero. If it is too long, it is cut between two characters.
static void put_text(uint8_t *header, size_t offset, const char *text, size_t size) {
  memcpy(header + offset, text, utf8_length(text, size));
}

// How many processors the process may run on; 0: not known.
static uint32_t processors(void) {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
#endif
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (uint32_t)count : 0;
}

// The last component of the path of the program's file, as Foundation reports it. Without `/proc` the path that it was started with.
static const char *process_name(char *room, size_t size) {
#if defined(__linux__)
  ssize_t length = readlink("/proc/self/exe", room, size - 1);
  room[length > 0 ? length : 0] = 0;
  const char *name = length > 0 ? room : program_invocation_name;
#else
  const char *name = getprogname();
  (void)room, (void)size;
#endif
  const char *slash = name ? strrchr(name, '/') : NULL;
  return slash ? slash + 1 : name ? name : "";
}

void trace_header_make(uint8_t out[optrace_header_static_checksum], bool use_counter, bool is_ring, const char *name) {
  memset(out, 0, optrace_header_static_checksum);
  uint32_t process = (uint32_t)getpid();
  uint64_t start = optrace_process_start(process);
  memcpy(out, TRACE_MAGIC, trace_magic_size);
  put_short(out, optrace_header_major_version, optrace_format_major_version);
  put_short(out, optrace_header_minor_version, optrace_format_minor_version);
  put(out, optrace_header_header_size, optrace_header_size);
  put(out, optrace_header_byte_order_mark, optrace_format_byte_order_mark);
  put(out, optrace_header_mode, is_ring ? optrace_file_mode_flight_recorder : optrace_file_mode_streaming);
  put(out, optrace_header_process_id, process);
  put(out, optrace_header_clock, use_counter ? optrace_file_clock_counter : optrace_file_clock_monotonic);
  memcpy(out + optrace_header_process_start, &start, sizeof start);
  optrace_boot_id(out + optrace_header_boot_id);
  char room[PATH_MAX];
  if (!name) name = process_name(room, sizeof room);
  put_text(out, optrace_header_process_name, name, optrace_header_process_name_size);
  put(out, optrace_header_processors, processors());
  put_text(out, optrace_header_writer_version, OPTRACE_VERSION, optrace_header_writer_version_size);
}
