// Lets the recorder write what the fuzzer says: records of any kind, subject and length, from several threads that end and
// come again, to a file that grows, has a limit, is a ring, is closed, cut or short of space, and stops at any moment.
//
// The sanitizers watch the recorder. What it has written is looked at here: chunks follow each other, their records fill
// them exactly, and a closed file has the checksums that the format asks for.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../Sources/COpTrace/storage/recorder.h"

enum { longest_text = 1024, most_threads = 4 };

typedef struct {
  const uint8_t *at, *end;
} input;

static uint8_t byte(input *in) { return in->at < in->end ? *in->at++ : 0; }

static uint64_t number(input *in, int bytes) {
  uint64_t value = 0;
  while (bytes--) value = value << 8 | byte(in);
  return value;
}

static optrace_recorder *recorder;

// The words of a record.
static uint32_t length(const uint8_t *record) {
  uint8_t kind = record[0];
  return kind < 0x40 ? 1 : kind < 0x80 ? 2 : kind < 0xC0 ? 3 : (uint32_t)record[8] | (uint32_t)record[9] << 8;
}

// What the ring asks for: the first records that it has not asked for before, as many whole ones as the fuzzer wishes.
static uint32_t carry(optrace_recorder *of, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen, uint64_t until) {
  (void)until;
  uint32_t wish = *(const uint32_t *)context * 8, size = 0, begin = seen > optrace_chunk_size ? seen : optrace_chunk_size;
  const uint8_t *records = chunk + begin;
  while (begin + size < bytes && size + length(records + size) * 8 <= wish) size += length(records + size) * 8;
  if (size) optrace_carry(of, 1, 1, 0, records, size);
  return bytes;
}

static void scan(optrace_recorder *of, void *context, const uint8_t *chunk, uint32_t bytes, uint32_t seen) {
  (void)of, (void)context, (void)seen;
  // Every byte may be read.
  volatile uint64_t sum = optrace_checksum(0, chunk, bytes);
  (void)sum;
}

// One step of a thread: a record, or something that is done to an operation.
static void step(input *in, optrace_operation *operation) {
  uint8_t what = byte(in);
  uint8_t kind = byte(in);
  uint32_t subject = (uint32_t)number(in, 2);
  static const uint8_t text[longest_text] = "text";
  switch (what % 12) {
    case 0: optrace_emit1(recorder, kind & 0x3F, subject); break;
    case 1: optrace_emit2(recorder, 0x40 | (kind & 0x3F), subject, number(in, 8)); break;
    case 2: optrace_emit3(recorder, 0x80 | (kind & 0x3F), subject, number(in, 8), subject); break;
    case 3:
      optrace_emit_text(recorder, 0xC0 | kind, subject, subject, kind & 1, subject, text,
                        number(in, 2) % (longest_text + 1));
      break;
    case 4: optrace_define(recorder, optrace_kind_string, subject, 0, 0, text, number(in, 2) % (longest_text + 1)); break;
    case 5:
      for (uint32_t i = 0; i < subject % 4096; i++) optrace_emit2(recorder, 0x40 | (kind & 0x3F), i, i);
      break;
    case 6: optrace_recorder_next_serial(recorder); break;
    case 7: optrace_cache_add(recorder, kind, subject, optrace_cache_find(recorder, subject, kind) + 1); break;
    case 8: {
      uint64_t activity;
      optrace_recorder_activity(recorder, &activity);
      break;
    }
    case 9:
      if (optrace_operation_attach(operation, subject)) optrace_operation_publish(operation, recorder);
      optrace_operation_event(operation, kind & 0x3F);
      break;
    case 10: {
      optrace_adding adding = optrace_adding_begin(recorder, operation, subject, kind & 1);
      optrace_operation_event2(operation, 0x40 | (kind & 0x3F), subject);
      optrace_adding_end(&adding);
      break;
    }
    default:
      optrace_frame_push(operation);
      optrace_frame_set_phase(kind % 5);
      optrace_emit1(recorder, kind & 0x3F, optrace_operation_serial(optrace_frame_current()));
      optrace_frame_pop();
  }
}

static void *work(void *share) {
  input *in = share;
  optrace_operation *operation = optrace_operation_create();
  while (in->at < in->end) step(in, operation);
  optrace_operation_destroy(operation);
  return NULL;
}

#define demand(what)                                          \
  do {                                                        \
    if (!(what)) {                                            \
      fprintf(stderr, "not so: %s, line %d\n", #what, __LINE__); \
      abort();                                                \
    }                                                         \
  } while (0)

static uint32_t u32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint64_t u64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// Records that fill `bytes` exactly.
static void look_at_records(const uint8_t *at, uint32_t bytes) {
  for (uint32_t place = 0; place < bytes;) {
    demand(at[place] < 0xC0 || bytes - place >= 16);
    uint32_t words = length(at + place);
    demand(words > 0 && words * 8 <= bytes - place);
    place += words * 8;
  }
}

static void look_at_file(const uint8_t *file, uint64_t size) {
  const uint64_t begin = 0x9E3779B97F4A7C15ull;
  uint64_t end = u64(file + optrace_header_end_offset);
  demand(u32(file + optrace_header_state) == optrace_file_state_closed && end <= size);
  demand(u64(file + optrace_header_dynamic_checksum) ==
         optrace_checksum(begin, file + optrace_header_state, optrace_header_dynamic_checksum - optrace_header_state));
  for (uint64_t offset = optrace_header_size; offset + optrace_chunk_size <= end;) {
    const uint8_t *chunk = file + offset;
    uint32_t bytes = u32(chunk + optrace_chunk_byte_count), fill = u32(chunk + optrace_chunk_fill);
    demand(u32(chunk) == optrace_chunk_magic && bytes % 64 == 0 && bytes >= optrace_chunk_size && bytes <= end - offset);
    demand(fill % 8 == 0 && fill <= bytes - optrace_chunk_size);
    // A chunk that was free again in a ring was never sealed.
    if (u32(chunk + optrace_chunk_state) == optrace_chunk_state_sealed) {
      uint8_t header[optrace_chunk_size];
      memcpy(header, chunk, sizeof header);
      memset(header + optrace_chunk_checksum, 0, 8);
      uint64_t checksum = optrace_checksum(begin, header, sizeof header);
      demand(u64(chunk + optrace_chunk_checksum) == optrace_checksum(checksum, chunk + optrace_chunk_size, fill));
      look_at_records(chunk + optrace_chunk_size, fill);
    }
    offset += bytes;
  }
}

// A recorder lives as long as its process, for threads that come late. Here there are none.
static void forget(void) {
  for (uint32_t i = 0; i < recorder->window_count; i++) munmap(recorder->windows[i].at, recorder->windows[i].mapped);
  munmap(recorder, sizeof *recorder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  if (count < 8) return 0;
  input all = {bytes, bytes + count};
  uint8_t how = byte(&all);
  uint8_t end = byte(&all);
  uint32_t carries = byte(&all);
  uint64_t size = number(&all, 2) * 64;
  int file = memfd_create("trace", MFD_CLOEXEC);
  if (file < 0) return 0;
  int copy = dup(file);
  uint8_t header[optrace_header_static_checksum] = "OPTRACE\n";
  optrace_options options = {.descriptor = file, .use_counter = how & 1, .ring = how & 2, .header = header,
                             .header_size = 64, .scan = scan, .carry = carry, .context = &carries};
  if (options.ring) options.capacity = 256 * 1024 + size;
  else if (how & 4) options.size_limit = size;
  recorder = optrace_recorder_create(&options);
  if (!recorder) {
    close(copy);
    return 0;
  }

  // What the fuzzer says is dealt out to threads; on the second round others take over what these left.
  int thread_count = 1 + (how >> 3) % most_threads;
  for (int round = 0; round < 1 + (how >> 5) % 2; round++) {
    pthread_t threads[most_threads];
    input shares[most_threads];
    size_t share = (size_t)(all.end - all.at) / (size_t)thread_count;
    for (int i = 0; i < thread_count; i++) {
      shares[i] = (input){all.at + share * (size_t)i, all.at + share * (size_t)(i + 1)};
      if (pthread_create(&threads[i], NULL, work, &shares[i]) != 0) abort();
    }
    // What a careless program does to the file meanwhile.
    if (how & 0x40 && end & 1) ftruncate(copy, (off_t)(end * 512));
    if (how & 0x80) optrace_recorder_stop(recorder);
    for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
  }
  int error = optrace_recorder_stop(recorder);
  struct stat info;
  if (error == 0 && !(how & 0x40) && fstat(copy, &info) == 0) {
    const uint8_t *view = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, copy, 0);
    if (view == MAP_FAILED) abort();
    look_at_file(view, (uint64_t)info.st_size);
    munmap((void *)view, (size_t)info.st_size);
  }
  close(copy);
  forget();
  return 0;
}
