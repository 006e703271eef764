// The slow path: it takes a lock, and runs once for each address. The numbers are cached (`optrace_cache_find`).
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
// Traits of an address. `trait_returns`: it is a return address on a stack, behind a call or a system call instruction.
// `trait_guessed`: it was found without a compiler's unwind rule. `trait_cut`: its callers are not known.
enum { trait_returns = 1, trait_guessed = 2, trait_cut = 4, trait_bits = 3 };
// Classes and source locations have smaller second keys in the cache.
static const uint64_t cache_key = (uint64_t)1 << 63;

typedef struct {
  uint64_t base, end, bias;
  uint32_t id;
} known_image;

typedef struct code_table {
  struct code_table *next;
  pthread_mutex_t lock;
  // The lock guards everything below.
  known_image *images;
  uint32_t image_count, image_room;
  // Maps an address with its traits, and the number of its caller, to the frame's number.
  number_map frames;
  uint32_t frame_count;
  // The same, but only for frames in the chunk that the flusher is writing. Used for samples in a ring.
  number_map frames_here;
  const void *chunk_of_frames;
} code_table;

// Tables are never freed. This list keeps them reachable for leak checkers, which do not look into the memory of recorders, because that
// is wiped in a forked child.
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

// Returns the image that contains an address. NULL: no image does, or there is no room.
static const known_image *image_of(optrace_recorder *core, code_table *in, uint64_t address) {
  for (uint32_t i = 0; i < in->image_count; i++)
    if (in->images[i].base <= address && address < in->images[i].end) return &in->images[i];
  if (in->image_count >= most_images) return NULL;
  uint8_t path[optrace_longest_path];
  optrace_image found;
  return optrace_image_find(address, &found, path) ? image_define(core, in, &found, path) : NULL;
}

// ---- Frames --------------------------------------------------------------------------------------------------------

// Where frames are written, and the numbers of the frames that are already there.
typedef struct {
  number_map *known;
  bool is_here;  // Frames are records of the calling thread. Otherwise they are definitions, which a ring never overwrites.
} frame_book;

static bool frame_write(optrace_recorder *core, const frame_book *book, uint32_t id, const optrace_frame_fields *fields) {
  uint64_t word1 = optrace_frame_word1(*fields), word2 = optrace_frame_word2(*fields);
  if (!book->is_here) return texts_reserve(core, frame_bytes) && optrace_define(core, optrace_kind_frame, id, word1, word2, NULL, 0);
  optrace_emit3(core, optrace_kind_frame, id, word1, word2);
  return true;
}

// Returns the number of a frame, and writes the frame if it is new. 0: there is no room, which is counted as a loss; or a function is in
// no image. The caller holds the lock.
static uint32_t frame_define(optrace_recorder *core, code_table *in, const frame_book *book, uint64_t address, uint32_t caller,
                             uint32_t traits, bool is_on_stack) {
  uint64_t key = address << trait_bits | traits, *known = number_map_find(book->known, key, caller);
  if (known) return (uint32_t)*known;
  uint64_t inside = traits & trait_returns ? address - 1 : address;
  const known_image *image = image_of(core, in, inside);
  // A stack may contain code that was generated at run time.
  if (!image && !is_on_stack) return 0;
  optrace_frame_fields fields = {.image = image ? image->id : 0, .offset = address - (image ? image->bias : 0),
                                 .guessed = traits & trait_guessed, .caller = caller, .returns = traits & trait_returns,
                                 .library = book_library_at(inside), .cut = traits & trait_cut};
  uint32_t id = in->frame_count + 1;
  // Remember only frames that were written. Otherwise a full ring would take memory for each new stack.
  if (!frame_write(core, book, id, &fields)) return 0;
  in->frame_count = id;
  if ((known = number_map_add(book->known, key, caller))) *known = id;
  return id;
}

uint32_t optrace_code_id(optrace_recorder *core, uint64_t function) {
  code_table *code = active(core);
  if (!function || !code) return 0;
  uint32_t known = optrace_cache_find(core, function, cache_key);
  if (known) return known;
  pthread_mutex_lock(&code->lock);
  uint32_t id = frame_define(core, code, &(frame_book){&code->frames, false}, function, 0, 0, false);
  pthread_mutex_unlock(&code->lock);
  if (id) optrace_cache_add(core, function, cache_key, id);
  return id;
}

uint32_t code_stack_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed) {
  code_table *code = active(core);
  if (!code || !addresses) return 0;
  const frame_book book = {&code->frames, false};
  uint32_t caller = 0;
  pthread_mutex_lock(&code->lock);
  for (size_t i = count; i-- > 0;) {
    caller = frame_define(core, code, &book, addresses[i], caller, trait_returns | (i >= guessed ? trait_guessed : 0), true);
    if (!caller) break;
  }
  pthread_mutex_unlock(&code->lock);
  return caller;
}

// ---- Samples -------------------------------------------------------------------------------------------------------

typedef struct {
  const uint64_t *addresses;
  size_t count, guessed;
  bool is_cut;
} sampled_stack;

// The innermost address of a sample is the instruction that the thread was executing, not a return address.
static uint32_t traits_of(const sampled_stack *stack, size_t i) {
  return (i ? trait_returns : 0) | (i >= stack->guessed ? trait_guessed : 0) |
         (stack->is_cut && i == stack->count - 1 ? trait_cut : 0);
}

static uint32_t define_sample(optrace_recorder *core, code_table *in, const frame_book *book, const sampled_stack *stack) {
  uint32_t caller = 0;
  for (size_t i = stack->count; i-- > 0;) {
    caller = frame_define(core, in, book, stack->addresses[i], caller, traits_of(stack, i), true);
    if (!caller) break;
  }
  return caller;
}

// Returns how many frames of a stack have not been written yet.
static size_t count_new(const number_map *known, const sampled_stack *stack) {
  uint32_t caller = 0;
  for (size_t i = stack->count; i-- > 0;) {
    const uint64_t *id = number_map_find(known, stack->addresses[i] << trait_bits | traits_of(stack, i), caller);
    if (!id) return i + 1;
    caller = (uint32_t)*id;
  }
  return 0;
}

// Writes the frames of a sample into the current chunk, with room for the record that follows them. Frames in an earlier chunk are
// lost when the ring reuses that chunk, so each chunk contains all frames of its own samples.
static uint32_t define_sample_here(optrace_recorder *core, code_table *in, const sampled_stack *stack) {
  enum { behind = 64 };
  const frame_book book = {&in->frames_here, true};
  for (int tries = 0; tries < 2; tries++) {
    const void *chunk = optrace_chunk_with(core, (uint32_t)count_new(&in->frames_here, stack) * frame_bytes + behind);
    if (chunk == in->chunk_of_frames) break;
    number_map_clear(&in->frames_here);
    in->chunk_of_frames = chunk;
  }
  return define_sample(core, in, &book, stack);
}

static uint32_t code_sample_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed, bool is_cut) {
  code_table *code = active(core);
  if (!code || !addresses || !count) return 0;
  pthread_mutex_lock(&code->lock);
  const sampled_stack stack = {addresses, count, guessed, is_cut};
  uint32_t id = core->options.ring ? define_sample_here(core, code, &stack)
                                   : define_sample(core, code, &(frame_book){&code->frames, false}, &stack);
  pthread_mutex_unlock(&code->lock);
  return id;
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
  core->define_sample = code_sample_id;
  return true;
}
