// x86-64. Most instructions are copied unchanged. Those with a relative operand get a new displacement, or the absolute address.
#include "move.h"

#if !defined(__aarch64__)
#include "../stacks/peek.h"
#include "decode.h"

// The displacement to `to` for an instruction that ends after `bytes` more bytes. False: it is out of reach.
static bool distance_to(const code_text *text, size_t bytes, uint64_t to, int32_t *distance) {
  int64_t whole = (int64_t)(to - text->address - text->count - bytes);
  *distance = (int32_t)whole;
  return *distance == whole;
}

void code_put_jump(code_text *text, uint64_t to) {
  int32_t distance;
  if (distance_to(text, 5, to, &distance)) {
    code_put(text, "\xE9", 1);
    code_put(text, &distance, 4);
  } else {
    code_put(text, "\xFF\x25\0\0\0\0", 6);  // jmp *0(%rip), followed by the address.
    code_put(text, &to, 8);
  }
}

static bool put_branch(code_text *text, uint8_t condition, uint64_t to) {
  uint8_t opcode[2] = {0x0F, (uint8_t)(0x80 | condition)};
  int32_t distance;
  if (!distance_to(text, 6, to, &distance)) return false;
  code_put(text, opcode, sizeof opcode);
  code_put(text, &distance, 4);
  return true;
}

// Appends a call that returns to the original code, at `back`. It pushes that address, so no register has to be free.
static void put_call(code_text *text, uint64_t to, uint64_t back) {
  uint32_t low = (uint32_t)back, high = (uint32_t)(back >> 32);
  code_put(text, "\x68", 1);  // push: as a signed number.
  code_put(text, &low, 4);
  code_put(text, "\xC7\x44\x24\x04", 4);  // movl to 4(%rsp)
  code_put(text, &high, 4);
  code_put_jump(text, to);
}

// Whether the processor checks returns with a shadow stack (CET). Then a return without a matching call would end the program.
static bool calls_are_watched(void) {
  uint64_t stack = 0;
#if defined(__x86_64__)
  __asm__ volatile(".byte 0xF3, 0x48, 0x0F, 0x1E, 0xC8" : "+a"(stack));  // rdsspq %rax: does nothing where there is none.
#endif
  return stack != 0;
}

static bool put_plain(code_text *text, const uint8_t *bytes, const code_instruction *one, uint64_t from) {
  uint8_t copy[code_longest];
  memcpy(copy, bytes, one->length);
  if (one->distance_at) {
    int32_t distance;
    memcpy(&distance, bytes + one->distance_at, 4);
    int64_t moved = (int64_t)distance + (int64_t)(from - (text->address + text->count));
    if (moved != (int32_t)moved) return false;
    distance = (int32_t)moved;
    memcpy(copy + one->distance_at, &distance, 4);
  }
  code_put(text, copy, one->length);
  return true;
}

size_t code_jump_place(const uint8_t *bytes, size_t count) {
  (void)bytes, (void)count;
  return 0;
}

moved_result code_move(code_text *text, uint64_t function, const uint8_t *bytes, size_t count, size_t size, size_t *taken) {
  enum { most = 16 };
  uint64_t targets[most];
  size_t target_count = 0, at = 0;
  bool is_over = false;
  while (at < code_jump_size) {
    code_instruction one;
    if (!code_decode(bytes + at, count - at, &one)) return is_over ? moved_too_short : moved_not_known;
    bool is_filling = one.kind == code_nop || one.kind == code_trap;
    if (is_over && !is_filling) return moved_too_short;
    // Behind the end of the function only padding may be overwritten.
    if (is_over) {
      at += one.length;
      continue;
    }
    if (size && at + one.length > size) return moved_too_short;
    uint64_t behind = function + at + one.length, target = behind + (uint64_t)(int64_t)one.to;
    switch (one.kind) {
      case code_plain:
      case code_nop:
      case code_end:
        if (!put_plain(text, bytes + at, &one, function + at)) return moved_too_far;
        is_over = one.kind == code_end;
        break;
      case code_jump:
        code_put_jump(text, target);
        is_over = true;
        break;
      case code_branch:
        if (!put_branch(text, one.condition, target)) return moved_too_far;
        break;
      case code_call:
        if (calls_are_watched()) return moved_not_known;
        put_call(text, target, behind);
        is_over = true;
        break;
      // A trap that can be reached is not padding, but a debugger's breakpoint.
      case code_trap:
      case code_loop:
      case code_call_indirect: return moved_not_known;
    }
    if (one.kind == code_jump || one.kind == code_branch) {
      if (target_count == most) return moved_not_known;
      targets[target_count++] = target;
    }
    at += one.length;
  }
  // A branch into the moved bytes would land in the middle of the jump.
  for (size_t i = 0; i < target_count; i++)
    if (targets[i] >= function && targets[i] < function + at) return moved_not_known;
  if (!is_over) code_put_jump(text, function + at);
  *taken = at;
  return text->is_full ? moved_not_known : moved_well;
}

bool code_returns_there(uint64_t function, uint64_t size, size_t taken) {
  uint8_t bytes[4096];
  size_t have = 0, at = 0;
  for (uint64_t begin = 0; begin + at < size;) {
    // Read more if the next instruction may be incomplete.
    if (have - at < code_longest && begin + have < size) {
      begin += at;
      uint64_t rest = size - begin;
      have = rest < sizeof bytes ? (size_t)rest : sizeof bytes;
      at = 0;
      if (!peek_all(function + begin, bytes, have)) return true;
    }
    code_instruction one;
    if (!code_decode(bytes + at, have - at, &one)) return true;
    at += one.length;
    if (one.kind != code_jump && one.kind != code_branch && one.kind != code_loop) continue;
    uint64_t target = begin + at + (uint64_t)(int64_t)one.to;
    if (target < taken) return true;
  }
  return false;
}

bool code_make_jump(uint64_t from, uint64_t to, uint8_t bytes[code_jump_size]) {
  int64_t whole = (int64_t)(to - from - code_jump_size);
  int32_t distance = (int32_t)whole;
  bytes[0] = 0xE9;
  memcpy(bytes + 1, &distance, 4);
  return distance == whole;
}

uint64_t code_jump_target(uint64_t at, const uint8_t *bytes) {
  int32_t distance;
  memcpy(&distance, bytes + 1, 4);
  return bytes[0] == 0xE9 ? at + code_jump_size + (uint64_t)(int64_t)distance : 0;
}

#endif
