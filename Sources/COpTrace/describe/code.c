// The slow path: it locks, and runs once for each address. The numbers are cached (`optrace_cache_find`).
#include "code.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../book/book.h"
#include "../storage/recorder.h"
#include "COpTraceFields.h"
#include "numbers.h"
#include "texts.h"

enum { most_images = UINT16_MAX, frame_bytes = 24, image_bytes = 32 };
// It is on a stack: the address behind a call, or behind the instruction that called the system. And: found without a compiler's
// unwind rule.
enum { trait_returns = 1, trait_guessed = 2, trait_bits = 2 };
// Classes and source locations have smaller second keys in the cache.
static const uint64_t cache_key = (uint64_t)1 << 63;

typedef struct {
  uint64_t base, end, bias;
  uint32_t id;
} known_image;

typedef struct code_table {
  struct code_table *next;
  pthread_mutex_t lock;
  // All below is only touched under the lock.
  known_image *images;
  uint32_t image_count, image_room;
  // From an address with its traits and a caller to the frame's number.
  number_map frames;
  uint32_t frame_count;
} code_table;

// They are kept for good; the recorders, whose memory is wiped in a forked child, do not show a tool that looks for leaks the way.
static code_table *_Atomic all;

static code_table *active(const optrace_recorder *core) {
  return core && optrace_recorder_is_recording(core) ? core->code : NULL;
}

// ---- Images --------------------------------------------------------------------------------------------------------

static uint32_t build_of(optrace_recorder *core, const optrace_image *found) {
  static const char digits[] = "0123456789abcdef";
  char hex[2 * sizeof found->build_id];
  size_t size = found->build_id_size < sizeof found->build_id ? found->build_id_size : sizeof found->build_id;
  for (size_t i = 0; i < size; i++) {
    hex[2 * i] = digits[found->build_id[i] >> 4];
    hex[2 * i + 1] = digits[found->build_id[i] & 15];
  }
  return size ? optrace_text_id(core, hex, 2 * size) : 0;
}

static const known_image *image_define(optrace_recorder *core, code_table *in, const optrace_image *found, const uint8_t *path) {
  if (in->image_count == in->image_room) {
    uint32_t room = in->image_room ? in->image_room * 2 : 64;
    known_image *larger = realloc(in->images, room * sizeof *larger);
    if (!larger) return NULL;
    in->images = larger;
    in->image_room = room;
  }
  uint32_t build = build_of(core, found);
  size_t length = strnlen((const char *)path, optrace_longest_path);
  if (!texts_reserve(core, length + image_bytes)) return NULL;
  optrace_image_fields fields = {
    .build = build, .page = found->base / optrace_format_image_page,
    .pages = (uint32_t)((found->size + optrace_format_image_page - 1) / optrace_format_image_page)};
  if (!optrace_define(core, optrace_kind_image, in->image_count + 1, optrace_image_word1(fields), optrace_image_word2(fields), path,
                      length))
    return NULL;
  known_image *made = &in->images[in->image_count++];
  *made = (known_image){.base = found->base, .end = found->base + found->size, .bias = found->bias, .id = in->image_count};
  return made;
}

// NULL: the address is in no image, or there is no room.
static const known_image *image_of(optrace_recorder *core, code_table *in, uint64_t address) {
  for (uint32_t i = 0; i < in->image_count; i++)
    if (in->images[i].base <= address && address < in->images[i].end) return &in->images[i];
  if (in->image_count >= most_images) return NULL;
  uint8_t path[optrace_longest_path];
  optrace_image found;
  return optrace_image_find(address, &found, path) ? image_define(core, in, &found, path) : NULL;
}

// ---- Frames --------------------------------------------------------------------------------------------------------

// 0: there is no room, which is counted as a loss; or a function is in no image. Under the lock.
static uint32_t frame_define(optrace_recorder *core, code_table *in, uint64_t address, uint32_t caller, uint32_t traits) {
  uint64_t key = address << trait_bits | traits, *known = number_map_find(&in->frames, key, caller);
  if (known) return (uint32_t)*known;
  uint64_t inside = traits & trait_returns ? address - 1 : address;
  const known_image *image = image_of(core, in, inside);
  // A stack may contain code that was generated at run time.
  if (!image && !(traits & trait_returns)) return 0;
  if (!texts_reserve(core, frame_bytes)) return 0;
  optrace_frame_fields fields = {.image = image ? image->id : 0, .offset = address - (image ? image->bias : 0),
                                 .guessed = traits & trait_guessed, .caller = caller, .returns = traits & trait_returns,
                                 .library = book_library_at(inside)};
  uint32_t id = in->frame_count + 1;
  // Only what was written is kept: a ring that is full must not take memory for each new stack.
  if (!optrace_define(core, optrace_kind_frame, id, optrace_frame_word1(fields), optrace_frame_word2(fields), NULL, 0)) return 0;
  in->frame_count = id;
  if ((known = number_map_add(&in->frames, key, caller))) *known = id;
  return id;
}

uint32_t optrace_code_id(optrace_recorder *core, uint64_t function) {
  code_table *code = active(core);
  if (!function || !code) return 0;
  uint32_t known = optrace_cache_find(core, function, cache_key);
  if (known) return known;
  pthread_mutex_lock(&code->lock);
  uint32_t id = frame_define(core, code, function, 0, 0);
  pthread_mutex_unlock(&code->lock);
  if (id) optrace_cache_add(core, function, cache_key, id);
  return id;
}

uint32_t code_stack_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed) {
  code_table *code = active(core);
  if (!code || !addresses) return 0;
  uint32_t caller = 0;
  pthread_mutex_lock(&code->lock);
  for (size_t i = count; i-- > 0;) {
    caller = frame_define(core, code, addresses[i], caller, trait_returns | (i >= guessed ? trait_guessed : 0));
    if (!caller) break;
  }
  pthread_mutex_unlock(&code->lock);
  return caller;
}

bool code_begin(optrace_recorder *core) {
  code_table *made = calloc(1, sizeof *made);
  if (!made) return false;
  pthread_mutex_init(&made->lock, NULL);
  made->next = atomic_load(&all);
  while (!atomic_compare_exchange_weak(&all, &made->next, made)) {}
  core->code = made;
  core->define_code = optrace_code_id;
  core->define_stack = code_stack_id;
  return true;
}
