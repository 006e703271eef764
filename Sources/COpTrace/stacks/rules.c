// The format: DWARF 4, section 6.4; Linux Standard Base, "Exception Frames" (.eh_frame, .eh_frame_hdr). Only sp, bp and the
// return address are followed, and only the forms that compilers and hand-written assembly use. Everything else is "no rule".
#include "rules.h"

#include <string.h>

#include "pages.h"
#include "supported.h"

// ---- Bytes

// Points to up to eight bytes of the image; null: they are outside of it.
static const uint8_t *bytes_at(unwind_image *image, uint64_t address, size_t count) {
  if (address < image->low || address > image->high || image->high - address < count) return NULL;
  if (image->bytes) return image->bytes + (address - image->low);
  uint64_t offset = address - image->window_at;
  if (address < image->window_at || offset > image->window_bytes || image->window_bytes - offset < count) {
    uint64_t wanted = image->high - address;
    if (wanted > sizeof image->window) wanted = sizeof image->window;
    image->window_at = address;
    image->window_bytes = pages_read(address, image->window, (size_t)wanted, image->generation);
    if (image->window_bytes < count) return NULL;
    offset = 0;
  }
  return image->window + offset;
}

// A read position. Once a read fails, all later ones do.
typedef struct {
  unwind_image *image;
  uint64_t at, end;
  bool failed;
} cursor;

static uint64_t take(cursor *c, size_t count) {
  uint64_t value = 0;
  bool fits = !c->failed && c->at <= c->end && c->end - c->at >= count;
  const uint8_t *bytes = fits ? bytes_at(c->image, c->at, count) : NULL;
  if (!bytes) {
    c->failed = true;
    c->at = c->end;
    return 0;
  }
  memcpy(&value, bytes, count);  // Both supported processors are little-endian.
  c->at += count;
  return value;
}

static uint64_t take_uleb(cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    uint64_t byte = take(c, 1);
    if (shift < 64) value |= (byte & 0x7F) << shift;
    if (!(byte & 0x80)) return value;
  }
}

static int64_t take_sleb(cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0;;) {
    uint64_t byte = take(c, 1);
    if (shift < 64) value |= (byte & 0x7F) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    if (shift < 64 && (byte & 0x40)) value |= UINT64_MAX << shift;
    return (int64_t)value;
  }
}

static void skip(cursor *c, uint64_t count) {
  if (c->failed || c->at > c->end || count > c->end - c->at) {
    c->failed = true;
    c->at = c->end;
  } else {
    c->at += count;
  }
}

// How addresses are encoded (DW_EH_PE_…).
enum { way_relative = 0x10, way_to_header = 0x30, way_indirect = 0x80, way_omitted = 0xFF };

static uint64_t take_address(cursor *c, uint8_t way, uint64_t header) {
  uint64_t at = c->at, value;
  switch (way & 0x0F) {
    case 0x00: case 0x04: case 0x0C: value = take(c, 8); break;
    case 0x01: value = take_uleb(c); break;
    case 0x02: value = take(c, 2); break;
    case 0x03: value = take(c, 4); break;
    case 0x09: value = (uint64_t)take_sleb(c); break;
    case 0x0A: value = (uint64_t)(int16_t)take(c, 2); break;
    case 0x0B: value = (uint64_t)(int32_t)take(c, 4); break;
    default: c->failed = true; return 0;
  }
  switch (way & 0x70) {
    case 0: break;
    case way_relative: value += at; break;
    case way_to_header: value += header; break;
    default: c->failed = true;
  }
  if (way & way_indirect) c->failed = true;  // Never used for a function's beginning.
  return value;
}

// ---- Expressions

// A value in a DWARF expression: a number, an offset from a register or from CFA, or the word stored at such an address.
typedef enum { of_nothing, of_sp, of_bp, of_cfa } origin;
typedef struct {
  origin origin;
  bool indirect;
  int64_t value;
} term;

static bool is_number(term t) { return t.origin == of_nothing && !t.indirect; }

static bool combine(uint64_t operation, term a, term b, term *out) {
  uint64_t x = (uint64_t)a.value, y = (uint64_t)b.value;
  *out = (term){of_nothing, false, 0};
  if (operation == 0x22 && !a.indirect && !b.indirect && (is_number(a) || is_number(b))) {
    *out = (term){is_number(a) ? b.origin : a.origin, false, (int64_t)(x + y)};
    return true;
  }
  if (operation == 0x1C && !a.indirect && is_number(b)) {
    *out = (term){a.origin, false, (int64_t)(x - y)};
    return true;
  }
  if (!is_number(a) || !is_number(b)) return false;
  switch (operation) {
    case 0x1A: out->value = (int64_t)(x & y); return true;
    case 0x21: out->value = (int64_t)(x | y); return true;
    case 0x24: out->value = y < 64 ? (int64_t)(x << y) : 0; return true;
    case 0x25: out->value = y < 64 ? (int64_t)(x >> y) : 0; return true;
    case 0x27: out->value = (int64_t)(x ^ y); return true;
    case 0x29: out->value = a.value == b.value; return true;
    case 0x2A: out->value = a.value >= b.value; return true;
    case 0x2B: out->value = a.value > b.value; return true;
    case 0x2C: out->value = a.value <= b.value; return true;
    case 0x2D: out->value = a.value < b.value; return true;
    case 0x2E: out->value = a.value != b.value; return true;
    default: return false;
  }
}

static bool push(term *stack, int *depth, term t) {
  enum { most_terms = 8 };
  if (*depth == most_terms) return false;
  stack[(*depth)++] = t;
  return true;
}

// The address of the instruction is known. So the expression for the linkage table (PLT), whose CFA depends on it, yields a number.
static bool evaluate(cursor c, uint64_t address, const term *first, term *out) {
  term stack[8];
  int depth = 0;
  if (first) push(stack, &depth, *first);
  while (c.at < c.end && !c.failed) {
    uint64_t operation = take(&c, 1);
    term t = {of_nothing, false, 0};
    if (operation >= 0x30 && operation <= 0x4F) {
      t.value = (int64_t)(operation - 0x30);
    } else if (operation >= 0x70 && operation <= 0x8F) {
      int number = (int)operation - 0x70;
      t.value = take_sleb(&c);
      if (number == register_sp) t.origin = of_sp;
      else if (number == register_bp) t.origin = of_bp;
      else if (number == register_pc) t.value = (int64_t)((uint64_t)t.value + address);
      else return false;
    } else {
      switch (operation) {
        case 0x08: t.value = (int64_t)take(&c, 1); break;
        case 0x09: t.value = (int8_t)take(&c, 1); break;
        case 0x0A: t.value = (int64_t)take(&c, 2); break;
        case 0x0B: t.value = (int16_t)take(&c, 2); break;
        case 0x0C: t.value = (int64_t)take(&c, 4); break;
        case 0x0D: t.value = (int32_t)take(&c, 4); break;
        case 0x0E: case 0x0F: t.value = (int64_t)take(&c, 8); break;
        case 0x10: t.value = (int64_t)take_uleb(&c); break;
        case 0x11: t.value = take_sleb(&c); break;
        case 0x06:
          if (!depth || stack[depth - 1].indirect || is_number(stack[depth - 1])) return false;
          stack[depth - 1].indirect = true;
          continue;
        case 0x12:
          if (!depth) return false;
          t = stack[depth - 1];
          break;
        case 0x23:
          if (!depth || stack[depth - 1].indirect) return false;
          stack[depth - 1].value = (int64_t)((uint64_t)stack[depth - 1].value + take_uleb(&c));
          continue;
        case 0x96: continue;
        default:
          if (depth < 2 || !combine(operation, stack[depth - 2], stack[depth - 1], &t)) return false;
          depth -= 2;
      }
    }
    if (!push(stack, &depth, t)) return false;
  }
  if (c.failed || !depth) return false;
  *out = stack[depth - 1];
  return true;
}

// ---- Rules

typedef struct {
  enum { location_unsaid, location_same, location_none, location_offset, location_expression, location_unknown } way;
  int64_t offset;       // From CFA.
  uint64_t at, bytes;   // The expression.
} location;

typedef struct {
  bool has_expression;
  uint64_t number;      // Of the register that CFA is relative to.
  int64_t offset;
  uint64_t at, bytes;
  location bp, ra;
} row;

typedef struct {
  uint64_t code_unit;
  int64_t data_unit;
  uint64_t begin, end;  // Its instructions.
  uint8_t way;          // How its entries encode addresses.
  bool has_sizes, is_signal;
} common;

static location *location_of(row *r, uint64_t number) {
  return number == register_bp ? &r->bp : number == register_ra ? &r->ra : NULL;
}

static void set(row *r, uint64_t number, location p) {
  location *to = location_of(r, number);
  if (to) *to = p;
}

static void set_offset(row *r, uint64_t number, int64_t count, int64_t unit) {
  location p = {.way = location_offset};
  if (__builtin_mul_overflow(count, unit, &p.offset)) p.way = location_unknown;
  set(r, number, p);
}

static int64_t scaled(uint64_t count, int64_t unit) {
  int64_t value;
  return __builtin_mul_overflow((int64_t)count, unit, &value) ? INT64_MAX : value;
}

// Executes the call frame instructions up to the row for `address`. `first`: the row that the function begins with, as the common part
// (CIE) defines it; null while the common part itself is executed. False: they cannot be interpreted.
static bool execute(cursor c, const common *about, uint64_t header, uint64_t at, uint64_t address,
                    const row *first, row *r) {
  enum { deepest = 8 };
  row kept[deepest];
  int depth = 0;
  while (c.at < c.end) {
    uint64_t operation = take(&c, 1), low = operation & 0x3F, number, step = 0;
    bool advances = false;
    switch (operation & 0xC0) {
      case 0x40: step = low; advances = true; break;
      case 0x80: set_offset(r, low, (int64_t)take_uleb(&c), about->data_unit); break;
      case 0xC0: {
        location *to = location_of(r, low);
        if (to) *to = first ? *location_of((row *)(uintptr_t)first, low) : (location){0};
        break;
      }
      default:
        switch (low) {
          case 0x00: break;
          case 0x01:
            at = take_address(&c, about->way, header);
            if (!c.failed && at > address) return true;
            break;
          case 0x02: step = take(&c, 1); advances = true; break;
          case 0x03: step = take(&c, 2); advances = true; break;
          case 0x04: step = take(&c, 4); advances = true; break;
          case 0x05: number = take_uleb(&c); set_offset(r, number, (int64_t)take_uleb(&c), about->data_unit); break;
          case 0x11: number = take_uleb(&c); set_offset(r, number, take_sleb(&c), about->data_unit); break;
          case 0x2F:
            number = take_uleb(&c);
            set_offset(r, number, -(int64_t)(take_uleb(&c) & INT64_MAX), about->data_unit);
            break;
          case 0x06: {
            number = take_uleb(&c);
            location *to = location_of(r, number);
            if (to) *to = first ? *location_of((row *)(uintptr_t)first, number) : (location){0};
            break;
          }
          case 0x07: set(r, take_uleb(&c), (location){.way = location_none}); break;
          case 0x08: set(r, take_uleb(&c), (location){.way = location_same}); break;
          case 0x09: number = take_uleb(&c); take_uleb(&c); set(r, number, (location){.way = location_unknown}); break;
          case 0x0A:
            if (depth == deepest) return false;
            kept[depth++] = *r;
            break;
          case 0x0B:
            if (!depth) return false;
            *r = kept[--depth];
            break;
          case 0x0C: r->number = take_uleb(&c); r->offset = (int64_t)take_uleb(&c); r->has_expression = false; break;
          case 0x12:
            r->number = take_uleb(&c);
            r->offset = scaled((uint64_t)take_sleb(&c), about->data_unit);
            r->has_expression = false;
            break;
          case 0x0D: r->number = take_uleb(&c); r->has_expression = false; break;
          case 0x0E: r->offset = (int64_t)take_uleb(&c); break;
          case 0x13: r->offset = scaled((uint64_t)take_sleb(&c), about->data_unit); break;
          case 0x0F:
            r->bytes = take_uleb(&c);
            r->at = c.at;
            r->has_expression = true;
            skip(&c, r->bytes);
            break;
          case 0x10: case 0x16: {
            number = take_uleb(&c);
            location p = {.way = low == 0x10 ? location_expression : location_unknown, .bytes = take_uleb(&c)};
            p.at = c.at;
            skip(&c, p.bytes);
            set(r, number, p);
            break;
          }
          case 0x14: case 0x15:
            number = take_uleb(&c);
            take_uleb(&c);
            set(r, number, (location){.way = location_unknown});
            break;
          case 0x2D: break;  // arm64: from here on the return address is signed. A walk strips the signature anyway.
          case 0x2E: take_uleb(&c); break;
          default: return false;
        }
    }
    if (c.failed) return false;
    if (advances && first) {
      at += step * about->code_unit;
      if (at > address) return true;
    }
  }
  return !c.failed;
}

// Reads the length of an entry (FDE) or a common part (CIE), and sets its end.
static bool take_length(cursor *c, unwind_image *image) {
  uint64_t length = take(c, 4);
  if (length == 0xFFFFFFFF) length = take(c, 8);
  if (c->failed || !length || length > image->high - c->at) return false;
  c->end = c->at + length;
  return true;
}

static bool read_common(unwind_image *image, uint64_t address, uint64_t header, common *out) {
  cursor c = {image, address, image->high, false};
  if (!take_length(&c, image) || take(&c, 4) != 0) return false;
  uint64_t version = take(&c, 1);
  if (version != 1 && version != 3) return false;
  char letters[8];
  size_t count = 0;
  for (char letter; (letter = (char)take(&c, 1));) {
    if (count == sizeof letters) return false;
    letters[count++] = letter;
  }
  *out = (common){.code_unit = take_uleb(&c), .data_unit = take_sleb(&c)};
  if ((version == 1 ? take(&c, 1) : take_uleb(&c)) != register_ra) return false;
  if (count) {
    if (letters[0] != 'z') return false;
    out->has_sizes = true;
    uint64_t size = take_uleb(&c), begin = c.at;
    for (size_t i = 1; i < count && !c.failed; i++) {
      switch (letters[i]) {
        case 'R': out->way = (uint8_t)take(&c, 1); break;
        case 'L': take(&c, 1); break;
        case 'S': out->is_signal = true; break;
        case 'B': break;
        case 'P': {
          uint8_t way = (uint8_t)take(&c, 1);
          take_address(&c, way & ~way_indirect, header);
          break;
        }
        default: return false;
      }
    }
    if (c.failed || size > c.end - begin || c.at > begin + size) return false;
    c.at = begin + size;
  }
  out->begin = c.at;
  out->end = c.end;
  return !c.failed;
}

static bool fits(int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; }

// Where a register is saved, as an offset from the base or from CFA.
static bool locate(unwind_image *image, const location *p, uint64_t address, origin base, bool *by_base, int64_t *offset) {
  term t = {of_cfa, false, p->offset};
  if (p->way == location_expression) {
    term cfa = {of_cfa, false, 0};
    if (!evaluate((cursor){image, p->at, p->at + p->bytes, false}, address, &cfa, &t)) return false;
  } else if (p->way != location_offset) {
    return false;
  }
  if (t.indirect || (t.origin != of_cfa && t.origin != base)) return false;
  *by_base = t.origin != of_cfa;
  *offset = t.value / 8;
  return t.value % 8 == 0 && fits(*offset, INT16_MIN + 1, INT16_MAX);
}

static bool is_in_register(const location *ra) {
  return has_register_ra && (ra->way == location_unsaid || ra->way == location_same);
}

static unwind_rule compact(unwind_image *image, const row *r, uint64_t address, bool is_signal) {
  if (r->ra.way == location_none) return rule_end;
  term cfa = {of_nothing, false, r->offset};
  if (r->has_expression) {
    if (!evaluate((cursor){image, r->at, r->at + r->bytes, false}, address, NULL, &cfa)) return 0;
  } else {
    cfa.origin = r->number == register_sp ? of_sp : r->number == register_bp ? of_bp : of_nothing;
  }
  if ((cfa.origin != of_sp && cfa.origin != of_bp) || !fits(cfa.value, -(1 << 23), (1 << 23) - 1)) return 0;
  bool by_base;
  int64_t ra, bp = 0;
  if (is_in_register(&r->ra)) {
    by_base = false;
    ra = INT16_MIN;
  } else if (!locate(image, &r->ra, address, cfa.origin, &by_base, &ra)) {
    return 0;
  }
  uint64_t rule = rule_frame | (cfa.origin == of_bp ? rule_by_bp : 0) | (cfa.indirect ? rule_indirect : 0) |
                  (by_base ? rule_ra_by_base : 0) | (is_signal ? rule_signal : 0);
  if (r->bp.way == location_offset || r->bp.way == location_expression) {
    if (!locate(image, &r->bp, address, cfa.origin, &by_base, &bp)) return 0;
    rule |= rule_saves_bp | (by_base ? rule_bp_by_base : 0);
  } else if (r->bp.way == location_unknown) {
    return 0;
  }
  return rule | (uint64_t)((uint32_t)cfa.value << 8) | (uint64_t)(uint16_t)ra << 32 | (uint64_t)(uint16_t)bp << 48;
}

unwind_rule rule_decode(unwind_image *image, uint64_t header, uint64_t entry, uint64_t address, uint64_t *start) {
  cursor c = {image, entry, image->high, false};
  if (entry > image->high || !take_length(&c, image)) return 0;
  uint64_t back_at = c.at, back = take(&c, 4);
  common about;
  if (!back || !read_common(image, back_at - back, header, &about)) return 0;
  uint64_t begin = take_address(&c, about.way, header), size = take_address(&c, about.way & 0x0F, header);
  if (c.failed || address < begin || address - begin >= size) return 0;
  if (about.has_sizes) skip(&c, take_uleb(&c));
  row r = {0};
  cursor initial = {image, about.begin, about.end, false};
  if (c.failed || !execute(initial, &about, header, begin, address, NULL, &r)) return 0;
  row first = r;
  if (!execute(c, &about, header, begin, address, &first, &r)) return 0;
  if (start) *start = begin;
  return compact(image, &r, address, about.is_signal);
}

unwind_rule rule_find(unwind_image *image, uint64_t header, uint64_t address, uint64_t *start) {
  cursor c = {image, header, image->high, false};
  enum { version = 1, of_entries = 0x03, of_table = 0x3B };
  if (take(&c, 1) != version) return 0;
  uint8_t way = (uint8_t)take(&c, 1);
  if (take(&c, 1) != of_entries || take(&c, 1) != of_table) return 0;  // The encodings that all linkers use.
  take_address(&c, way, header);
  uint64_t count = take(&c, 4), table = c.at;
  if (c.failed || !count) return 0;
  // Binary search for the last function that begins at or before the address. The table contains pairs of offsets from the header:
  // function, entry.
  int64_t wanted = (int64_t)(address - header);
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    const uint8_t *pair = bytes_at(image, table + middle * 8, 4);
    int32_t begin;
    if (!pair) return 0;
    memcpy(&begin, pair, 4);
    if (begin <= wanted) low = middle + 1;
    else high = middle;
  }
  if (!low) return 0;
  const uint8_t *pair = bytes_at(image, table + (low - 1) * 8 + 4, 4);
  if (!pair) return 0;
  int32_t offset;
  memcpy(&offset, pair, 4);
  return rule_decode(image, header, header + (uint64_t)(int64_t)offset, address, start);
}
