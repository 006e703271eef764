#include "recording.h"

#include "../../Sources/COpTrace/describe/carry.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

optrace_recorder *recording_current;

static void put(uint8_t *header, size_t offset, uint64_t value, size_t bytes) { memcpy(header + offset, &value, bytes); }

static void make_header(uint8_t *header, bool is_ring, bool use_counter) {
  memset(header, 0, optrace_header_size);
  memcpy(header, "OPTRACE\n", 8);
  put(header, optrace_header_major_version, optrace_format_major_version, 2);
  put(header, optrace_header_minor_version, optrace_format_minor_version, 2);
  put(header, optrace_header_header_size, optrace_header_size, 4);
  put(header, optrace_header_byte_order_mark, optrace_format_byte_order_mark, 4);
  put(header, optrace_header_mode, is_ring ? optrace_file_mode_flight_recorder : optrace_file_mode_streaming, 4);
  put(header, optrace_header_process_id, (uint64_t)getpid(), 4);
  put(header, optrace_header_clock, use_counter && optrace_clock_has_counter() ? optrace_file_clock_counter : optrace_file_clock_monotonic, 4);
  put(header, optrace_header_process_start, optrace_process_start((uint32_t)getpid()), 8);
  optrace_boot_id(header + optrace_header_boot_id);
  memcpy(header + optrace_header_process_name, "core-tests", 10);
  memcpy(header + optrace_header_writer_version, "core-tests", 10);
}

static void scan_nothing(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen) {
  (void)recorder, (void)context, (void)chunk, (void)bytes, (void)seen;
}
static uint32_t carry_nothing(optrace_recorder *recorder, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen, uint64_t until) {
  (void)recorder, (void)context, (void)chunk, (void)seen, (void)until;
  return bytes;
}

static optrace_recorder *begin(const char *path, optrace_options options) {
  uint8_t header[optrace_header_size];
  options.descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (options.descriptor < 0) return NULL;
  make_header(header, options.ring, options.use_counter);
  options.header = header;
  options.header_size = sizeof header;
  if (!options.scan) options.scan = scan_nothing;
  if (!options.carry) options.carry = carry_nothing;
  return recording_current = optrace_recorder_create(&options);
}

optrace_recorder *recording_begin(const char *path, uint64_t ring, uint64_t size_limit, bool use_counter) {
  return begin(path, (optrace_options){.use_counter = use_counter, .ring = ring != 0, .capacity = ring, .size_limit = size_limit});
}

optrace_recorder *recording_begin_ring(const char *path, uint64_t ring, ring_carrier carry) {
  return begin(path, (optrace_options){.use_counter = true, .ring = true, .capacity = ring, .carry = carry});
}

optrace_recorder *recording_begin_flight(const char *path, uint64_t ring) {
  optrace_options options = {.use_counter = true, .ring = true, .capacity = ring};
  return carry_prepare(&options) ? begin(path, options) : NULL;
}

typedef struct {
  pthread_t thread;
  int which;
  void (*body)(int which);
} runner;

static void *run(void *argument) {
  runner *r = argument;
  r->body(r->which);
  return NULL;
}

void on_threads(int count, void (*body)(int which)) {
  enum { most = 64 };
  runner all[most];
  if (count > most) abort();
  for (int i = 0; i < count; i++) {
    all[i] = (runner){.which = i, .body = body};
    if (pthread_create(&all[i].thread, NULL, run, &all[i]) != 0) abort();
  }
  for (int i = 0; i < count; i++) pthread_join(all[i].thread, NULL);
}

bool comes_true(bool (*is_so)(void *context), void *context) {
  for (int i = 0; i < 60000; i++, usleep(1000))
    if (is_so(context)) return true;
  return false;
}
