// arm64. The jump is one instruction and replaces one, so one is moved. Instructions with a relative operand get the absolute address.
#include "move.h"

#if defined(__aarch64__)
#include "../stacks/peek.h"

static void put(code_text *text, uint32_t instruction) { code_put(text, &instruction, sizeof instruction); }

void code_put_jump(code_text *text, uint64_t to) {
  uint8_t jump[code_jump_size];
  if (code_make_jump(text->address + text->count, to, jump)) {
    code_put(text, jump, sizeof jump);
    return;
  }
  put(text, 0x58000051);  // ldr x17, 8 bytes from here
  put(text, 0xD61F0220);  // br x17
  code_put(text, &to, sizeof to);
}

// A signed number of `bits` bits that begins at bit `low`.
static int64_t distance(uint32_t instruction, int low, int bits) {
  uint64_t field = (uint64_t)instruction >> low << (64 - bits);
  return (int64_t)field >> (64 - bits);
}

typedef struct {
  enum { leads_nowhere, leads_always, leads_sometimes } how;
  int low, bits;
  uint64_t target;
} branch;

static branch branch_of(uint32_t instruction, uint64_t at) {
  branch one = {leads_nowhere, 0, 0, 0};
  if ((instruction & 0xFC000000) == 0x14000000) one = (branch){leads_always, 0, 26, 0};     // b
  if ((instruction & 0xFE000000) == 0x54000000) one = (branch){leads_sometimes, 5, 19, 0};  // b.cond
  if ((instruction & 0x7E000000) == 0x34000000) one = (branch){leads_sometimes, 5, 19, 0};  // cbz, cbnz
  if ((instruction & 0x7E000000) == 0x36000000) one = (branch){leads_sometimes, 5, 14, 0};  // tbz, tbnz
  if (one.how != leads_nowhere) one.target = at + (uint64_t)distance(instruction, one.low, one.bits) * 4;
  return one;
}

// Appends the same conditional branch with a target two instructions ahead. A jump for either outcome follows.
static void put_branch(code_text *text, uint32_t instruction, const branch *one, uint64_t behind) {
  uint32_t field = ((1u << one->bits) - 1) << one->low;
  code_text rest = {.address = text->address + text->count + 8};
  code_put_jump(&rest, one->target);
  put(text, (instruction & ~field) | 2u << one->low);
  put(text, 0x14000000 | (uint32_t)(1 + rest.count / 4));
  code_put(text, rest.bytes, rest.count);
  code_put_jump(text, behind);
}

// Replaces adr and adrp: loads the address, which is stored behind a jump over it.
static void put_address(code_text *text, uint32_t instruction, uint64_t at) {
  uint64_t low = instruction >> 29 & 3, value;
  int64_t all = distance(instruction, 5, 19) * 4 + (int64_t)low;
  if (instruction >> 31) value = (at & ~0xFFFull) + (uint64_t)all * 4096;
  else value = at + (uint64_t)all;
  put(text, 0x58000040 | (instruction & 31));  // ldr xN, 8 bytes from here
  put(text, 0x14000003);                       // b, 12 bytes from here
  code_put(text, &value, sizeof value);
}

size_t code_jump_place(const uint8_t *bytes, size_t count) {
  uint32_t first;
  if (count < sizeof first) return 0;
  memcpy(&first, bytes, sizeof first);
  return first == 0xD503245F || first == 0xD50324DF ? 4 : 0;  // bti c, bti jc
}

static bool cannot_be_moved(uint32_t instruction) {
  return (instruction & 0xFFFF0000) == 0               // udf
         || (instruction & 0xFF000000) == 0xD4000000   // brk, svc: a debugger's, or the system's
         || (instruction & 0xFC000000) == 0x94000000   // bl
         || (instruction & 0xFE000000) == 0xD6000000   // ret, br, blr: short, or it returns to here
         || (instruction & 0x3B000000) == 0x18000000   // ldr of what stands nearby
         // All hints but nop: paciasp must stay at the entry, because indirect calls must land on it.
         || ((instruction & 0xFFFFF01F) == 0xD503201F && instruction != 0xD503201F);
}

moved_result code_move(code_text *text, uint64_t function, const uint8_t *bytes, size_t count, size_t size, size_t *taken) {
  size_t place = code_jump_place(bytes, count);
  uint32_t instruction;
  if (size && size < place + code_jump_size) return moved_too_short;
  if (count < place + code_jump_size) return moved_not_known;
  memcpy(&instruction, bytes + place, sizeof instruction);
  uint64_t at = function + place, behind = at + code_jump_size;
  branch one = branch_of(instruction, at);
  *taken = place + code_jump_size;
  if (cannot_be_moved(instruction)) return moved_not_known;
  if (one.how != leads_nowhere && one.target >= function && one.target < behind) return moved_not_known;
  if (one.how == leads_always) {
    code_put_jump(text, one.target);
  } else if (one.how == leads_sometimes) {
    put_branch(text, instruction, &one, behind);
  } else {
    if ((instruction & 0x1F000000) == 0x10000000) put_address(text, instruction, at);
    else put(text, instruction);
    code_put_jump(text, behind);
  }
  return text->is_full ? moved_not_known : moved_well;
}

bool code_returns_there(uint64_t function, uint64_t size, size_t taken) {
  uint32_t words[1024];
  for (uint64_t begin = 0; begin < size; begin += sizeof words) {
    uint64_t rest = size - begin;
    size_t have = rest < sizeof words ? (size_t)rest : sizeof words;
    if (!peek_all(function + begin, words, have)) return true;
    for (size_t i = 0; i < have / 4; i++) {
      branch one = branch_of(words[i], begin + 4 * i);
      if (one.how != leads_nowhere && one.target < taken) return true;
    }
  }
  return false;
}

bool code_make_jump(uint64_t from, uint64_t to, uint8_t bytes[code_jump_size]) {
  int64_t words = (int64_t)(to - from) >> 2;
  uint32_t instruction = 0x14000000 | ((uint32_t)words & 0x3FFFFFF);
  memcpy(bytes, &instruction, sizeof instruction);
  return words >= -(1 << 25) && words < 1 << 25;
}

uint64_t code_jump_target(uint64_t at, const uint8_t *bytes) {
  uint32_t instruction;
  memcpy(&instruction, bytes, sizeof instruction);
  branch one = branch_of(instruction, at);
  return one.how == leads_always ? one.target : 0;
}

#else

typedef int nothing_is_moved_here;

#endif
