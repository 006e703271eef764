// The slow path: it takes a lock, and runs once for each address. The numbers are cached (`optrace_cache_find`).
//
// An address means what was loaded there when it was read. So a frame belongs to an image, and each image has its own table of frames: a
// library that is loaded where another one was is another image, and one that comes back is the same image again.
#include "code.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../base/own_lock.h"
#include "../book/book.h"
#include "../stacks/images.h"
#include "../storage/recorder.h"
#include "COpTraceFields.h"
#include "numbers.h"
#include "texts.h"
#include "types.h"

enum { most_images = UINT16_MAX, frame_bytes = 24, image_bytes = 32 };
// Traits of an address. `trait_returns`: it is a return address on a stack, behind a call or a system call instruction.
// `trait_guessed`: it was found without a compiler's unwind rule. `trait_cut`: its callers are not known.
enum { trait_returns = 1, trait_guessed = 2, trait_cut = 4, trait_bits = 3 };
// Classes and source locations have smaller second keys in the cache.
static const uint64_t cache_key = (uint64_t)1 << 63;

// Maps an address with its traits, and the number of its caller, to the frame's number. `here`: the same, but only for frames in the chunk
// that the flusher is writing. Used for samples in a ring.
typedef struct {
  number_map frames, here;
} frame_tables;

typedef struct {
  uint64_t base, bias;
  uint32_t id;
  frame_tables tables;
} known_image;

typedef struct code_table {
  struct code_table *next;
  pthread_mutex_t lock;
  // The lock guards everything below.
  known_image *images;
  uint32_t image_count, image_room;
  uint32_t image_of[modules_most + 1];  // By the number of a module; 0: none yet.
  uint32_t last;                        // The module of the last address: the next one is often in it, too.
  frame_tables nowhere;                 // Code in no module.
  uint32_t frame_count;
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

static known_image *image_define(optrace_recorder *core, code_table *in, const optrace_image *found, const uint8_t *path) {
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
  *made = (known_image){.base = found->base, .bias = found->bias, .id = in->image_count};
  return made;
}

// Returns the number of the module with the code at an address at a time. 0: none, or the system does not number modules.
static uint32_t module_with(code_table *in, uint64_t address, uint64_t time) {
  if (time != code_now) return module_then(address, time);
  const module *last = module_at(in->last);
  if (last && last->low <= address && address < last->high && atomic_load_explicit(&last->is_loaded, memory_order_acquire))
    return in->last;
  uint32_t found = module_of(address);
  if (found) in->last = found;
  return found;
}

// Returns the image of a module, or of an address now if there is no module. NULL: there is none, or no room.
static known_image *image_with(optrace_recorder *core, code_table *in, uint32_t module, uint64_t address) {
  if (in->image_of[module]) return &in->images[in->image_of[module] - 1];
  uint8_t path[optrace_longest_path];
  optrace_image found;
  if (!image_describe(module, address, &found, path)) return NULL;
  for (uint32_t i = 0; !module && i < in->image_count; i++)
    if (in->images[i].base == found.base) return &in->images[i];
  known_image *made = in->image_count < most_images ? image_define(core, in, &found, path) : NULL;
  if (made && module) in->image_of[module] = made->id;
  return made;
}

// ---- Frames --------------------------------------------------------------------------------------------------------

// How addresses are numbered.
typedef struct {
  uint64_t time;     // They mean what was loaded then; `code_now`: what is loaded.
  bool is_here;      // Frames are records of the calling thread. Otherwise they are definitions, which a ring never overwrites.
  bool is_on_stack;  // A stack may contain code that was generated at run time.
} frame_way;

static number_map *map_of(frame_tables *tables, const frame_way *way) { return way->is_here ? &tables->here : &tables->frames; }

static bool frame_write(optrace_recorder *core, const frame_way *way, uint32_t id, const optrace_frame_fields *fields) {
  uint64_t word1 = optrace_frame_word1(*fields), word2 = optrace_frame_word2(*fields);
  if (!way->is_here) return texts_reserve(core, frame_bytes) && optrace_define(core, optrace_kind_frame, id, word1, word2, NULL, 0);
  optrace_emit3(core, optrace_kind_frame, id, word1, word2);
  return true;
}

typedef struct {
  uint64_t address;
  uint32_t caller, traits;
} frame_key;

static uint64_t word_of(const frame_key *key) { return key->address << trait_bits | key->traits; }
static uint64_t inside_of(const frame_key *key) { return key->traits & trait_returns ? key->address - 1 : key->address; }

// Returns the number of a frame that was written; 0: it was not.
static uint32_t frame_in(code_table *in, uint32_t module, const frame_way *way, const frame_key *key) {
  uint32_t image = in->image_of[module];
  if (module && !image) return 0;
  frame_tables *tables = image ? &in->images[image - 1].tables : &in->nowhere;
  const uint64_t *known = number_map_find(map_of(tables, way), word_of(key), key->caller);
  return known ? (uint32_t)*known : 0;
}

static uint32_t frame_known(code_table *in, const frame_way *way, const frame_key *key) {
  return frame_in(in, module_with(in, inside_of(key), way->time), way, key);
}

// Returns the number of a frame, and writes the frame if it is new. 0: there is no room, which is counted as a loss; or a function is in
// no image. The caller holds the lock.
static uint32_t frame_define(optrace_recorder *core, code_table *in, const frame_way *way, const frame_key *key) {
  uint64_t inside = inside_of(key);
  uint32_t module = module_with(in, inside, way->time), id = frame_in(in, module, way, key);
  // The file may have been loaded since the last refresh.
  if (!id && !module && way->time == code_now && modules_refresh()) {
    module = module_with(in, inside, way->time);
    id = frame_in(in, module, way, key);
  }
  if (id) return id;
  known_image *image = module || way->time == code_now ? image_with(core, in, module, inside) : NULL;
  if (!image && !way->is_on_stack) return 0;
  optrace_frame_fields fields = {.image = image ? image->id : 0, .offset = key->address - (image ? image->bias : 0),
                                 .guessed = key->traits & trait_guessed, .caller = key->caller,
                                 .returns = key->traits & trait_returns, .library = book_library_at(inside),
                                 .cut = key->traits & trait_cut};
  id = in->frame_count + 1;
  // Remember only frames that were written. Otherwise a full ring would take memory for each new stack.
  if (!frame_write(core, way, id, &fields)) return 0;
  in->frame_count = id;
  uint64_t *known = number_map_add(map_of(module && image ? &image->tables : &in->nowhere, way), word_of(key), key->caller);
  if (known) *known = id;
  return id;
}

uint32_t optrace_code_id(optrace_recorder *core, uint64_t function) {
  code_table *code = active(core);
  if (!function || !code) return 0;
  uint32_t known = optrace_cache_find(core, function, cache_key);
  if (known) return known;
  own_lock(&code->lock);
  uint32_t id = frame_define(core, code, &(frame_way){.time = code_now}, &(frame_key){.address = function});
  pthread_mutex_unlock(&code->lock);
  if (id) optrace_cache_add(core, function, cache_key, id);
  return id;
}

uint32_t code_stack_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed, uint64_t time) {
  code_table *code = active(core);
  if (!code || !addresses) return 0;
  const frame_way way = {.time = time, .is_on_stack = true};
  uint32_t caller = 0;
  own_lock(&code->lock);
  for (size_t i = count; i-- > 0;) {
    const frame_key key = {addresses[i], caller, trait_returns | (i >= guessed ? trait_guessed : 0)};
    caller = frame_define(core, code, &way, &key);
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
static frame_key key_of(const sampled_stack *stack, size_t i, uint32_t caller) {
  uint32_t traits = (i ? trait_returns : 0) | (i >= stack->guessed ? trait_guessed : 0) |
                    (stack->is_cut && i == stack->count - 1 ? trait_cut : 0);
  return (frame_key){stack->addresses[i], caller, traits};
}

static uint32_t define_sample(optrace_recorder *core, code_table *in, const frame_way *way, const sampled_stack *stack) {
  uint32_t caller = 0;
  for (size_t i = stack->count; i-- > 0;) {
    const frame_key key = key_of(stack, i, caller);
    caller = frame_define(core, in, way, &key);
    if (!caller) break;
  }
  return caller;
}

// Returns how many frames of a stack have not been written yet.
static size_t count_new(code_table *in, const frame_way *way, const sampled_stack *stack) {
  uint32_t caller = 0;
  for (size_t i = stack->count; i-- > 0;) {
    const frame_key key = key_of(stack, i, caller);
    caller = frame_known(in, way, &key);
    if (!caller) return i + 1;
  }
  return 0;
}

static void forget_frames_here(code_table *in) {
  for (uint32_t i = 0; i < in->image_count; i++) number_map_clear(&in->images[i].tables.here);
  number_map_clear(&in->nowhere.here);
}

// Writes the frames of a sample into the current chunk, with room for the record that follows them. Frames in an earlier chunk are
// lost when the ring reuses that chunk, so each chunk contains all frames of its own samples.
static uint32_t define_sample_here(optrace_recorder *core, code_table *in, const frame_way *way, const sampled_stack *stack) {
  enum { behind = 64 };
  for (int tries = 0; tries < 2; tries++) {
    const void *chunk = optrace_chunk_with(core, (uint32_t)count_new(in, way, stack) * frame_bytes + behind);
    if (chunk == in->chunk_of_frames) break;
    forget_frames_here(in);
    in->chunk_of_frames = chunk;
  }
  return define_sample(core, in, way, stack);
}

static uint32_t code_sample_id(optrace_recorder *core, const uint64_t *addresses, size_t count, size_t guessed, bool is_cut,
                               uint64_t time) {
  code_table *code = active(core);
  if (!code || !addresses || !count) return 0;
  const frame_way way = {.time = time, .is_here = core->options.ring != 0, .is_on_stack = true};
  const sampled_stack stack = {addresses, count, guessed, is_cut};
  own_lock(&code->lock);
  uint32_t id = way.is_here ? define_sample_here(core, code, &way, &stack) : define_sample(core, code, &way, &stack);
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
#if OPTRACE_HAS_HOOKS
  core->types = &types_of_objects;
#endif
  return true;
}
