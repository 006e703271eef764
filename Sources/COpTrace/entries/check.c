#include "check.h"

#if defined(__aarch64__)

// The return address is in x30. x16 and x17 may be changed between a call and the first instruction of the function.
static void put_check(code_text *text, uint64_t low, uint64_t high, uint64_t hook) {
  const uint32_t code[] = {
    0x580001D0,  // ldr x16, low
    0xEB1003DF,  // cmp x30, x16
    0x54000103,  // b.lo elsewhere
    0x580001B0,  // ldr x16, high
    0xEB1003DF,  // cmp x30, x16
    0x540000A2,  // b.hs elsewhere
    0xB85FC3D0,  // ldur w16, [x30, #-4]
    0x531A7E10,  // lsr w16, w16, #26
    0x7100961F,  // cmp w16, #37: is it a `bl`?
    0x54000120,  // b.eq inside
    0x58000051,  // elsewhere: ldr x17, hook
    0xD61F0220,  // br x17
  };
  code_put(text, code, sizeof code);
  code_put(text, &hook, sizeof hook);
  code_put(text, &low, sizeof low);
  code_put(text, &high, sizeof high);
}

#else

static void put_compare(code_text *text, bool is_high_half, uint32_t with) {
  if (is_high_half) code_put(text, "\x81\x7C\x24\x04", 4);  // cmpl with, 4(%rsp)
  else code_put(text, "\x81\x3C\x24", 3);                   // cmpl with, (%rsp)
  code_put(text, &with, 4);
}

enum { below = 0x72, not_below = 0x73, equal = 0x74, not_equal = 0x75, above = 0x77 };

// Appends a short jump whose distance is filled in later.
static size_t put_short(code_text *text, uint8_t opcode) {
  uint8_t jump[2] = {opcode, 0};
  code_put(text, jump, sizeof jump);
  return text->count - 1;
}

static void end_here(code_text *text, size_t jump) {
  if (!text->is_full) text->bytes[jump] = (uint8_t)(text->count - jump - 1);
}

// Appends a check whether the calling instruction is a direct call. No register is free, so one is saved; `pop` changes no flags.
static void put_direct_check(code_text *text, uint64_t hook) {
  code_put(text, "\x41\x53", 2);              // push %r11
  code_put(text, "\x4C\x8B\x5C\x24\x08", 5);  // mov 8(%rsp), %r11
  code_put(text, "\x41\x80\x7B\xFB\xE8", 5);  // cmpb $0xE8, -5(%r11)
  code_put(text, "\x41\x5B", 2);              // pop %r11
  size_t direct = put_short(text, equal);
  code_put_jump(text, hook);
  end_here(text, direct);
}

// Compares the return address half by half, because no instruction compares memory with eight bytes, and no register is free.
static void put_check(code_text *text, uint64_t low, uint64_t high, uint64_t hook) {
  uint32_t low_high = (uint32_t)(low >> 32), high_high = (uint32_t)(high >> 32);
  if (low_high == high_high) {
    put_compare(text, true, low_high);
    size_t elsewhere = put_short(text, not_equal);
    put_compare(text, false, (uint32_t)low);
    size_t before = put_short(text, below);
    put_compare(text, false, (uint32_t)high);
    size_t inside = put_short(text, below);
    end_here(text, elsewhere);
    end_here(text, before);
    code_put_jump(text, hook);
    end_here(text, inside);
    put_direct_check(text, hook);
    return;
  }
  put_compare(text, true, low_high);
  size_t before = put_short(text, below), beyond_low = put_short(text, above);
  put_compare(text, false, (uint32_t)low);
  size_t just_before = put_short(text, below);
  end_here(text, beyond_low);
  put_compare(text, true, high_high);
  size_t inside = put_short(text, below), behind = put_short(text, above);
  put_compare(text, false, (uint32_t)high);
  size_t just_inside = put_short(text, below);
  end_here(text, before);
  end_here(text, just_before);
  end_here(text, behind);
  code_put_jump(text, hook);
  end_here(text, inside);
  end_here(text, just_inside);
  put_direct_check(text, hook);
}

#endif

void code_put_check(code_text *text, uint64_t low, uint64_t high, uint64_t hook) {
  if (low >= high) {
    code_put_jump(text, hook);
    return;
  }
  // A return address is behind its call. So the library's lowest one is above `low`, and its highest one may be `high` itself.
  put_check(text, low + 1, high == UINT64_MAX ? high : high + 1, hook);
}
