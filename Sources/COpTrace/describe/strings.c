#include "strings.h"

#include "texts.h"

#if OPTRACE_HAS_HOOKS
#include <string.h>

static const uint64_t address_mask = ((uint64_t)1 << string_form_shift) - 1;
static const uint64_t count_mask = ((uint64_t)1 << string_count_bits) - 1;
static const uint64_t is_behind_header = (uint64_t)1 << string_behind_header_shift;

// `String.utf8CString`, which copies a text of any form; null: the program does not contain it.
static SWIFT void *(*copy_bytes)(uint64_t first, uint64_t second);
static bool is_proven;

bool strings_known(void) { return is_proven; }

static unsigned form_of(swift_string string) { return (unsigned)(string.second >> string_form_shift); }

// Reads a text that another object owns, or that has to be converted. On Linux, nothing makes such a text by itself.
static void read_unusual(swift_string string, string_text *to) {
  if (!copy_bytes) return;
  to->made = copy_bytes(string.first, string.second);
  size_t count = array_count(to->made);
  to->bytes = array_elements(to->made);
  to->length = count ? count - 1 : 0;  // Without the terminating zero.
}

static void read_words(swift_string string, string_text *to) {
  if (form_of(string) & string_is_small) {
    size_t length = string.second >> string_small_count_shift & string_small_count_mask;
    memcpy(to->small, &string.first, sizeof string.first);
    memcpy(to->small + sizeof string.first, &string.second, sizeof string.second);
    to->bytes = to->small;
    to->length = length <= string_most_small ? length : 0;
  } else if ((form_of(string) & string_is_foreign) || !(string.first & is_behind_header)) {
    read_unusual(string, to);
  } else {
    to->bytes = (const uint8_t *)(uintptr_t)((string.second & address_mask) + string_header_bytes);
    to->length = string.first & count_mask;
  }
}

void string_read(swift_string string, string_text *to) {
  to->bytes = to->small;
  to->length = 0;
  to->made = NULL;
  if (is_proven && !string_is_nil(string)) read_words(string, to);
}

void string_done(string_text *text) { runtime_release(text->made); }

void string_release(swift_string string) {
  if (!is_proven || string_is_nil(string) || (form_of(string) & string_is_immortal)) return;
  runtime_release((void *)(uintptr_t)(string.second & address_mask));
}

// ---- Proof ---------------------------------------------------------------------------------------------------------

typedef SWIFT swift_string (*string_maker)(const char *bytes);

static bool is_read_as(swift_string string, const char *expected, unsigned form) {
  string_text text;
  string_read(string, &text);
  bool is_same = text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0;
  string_done(&text);
  return is_same && form_of(string) == form;
}

static bool is_made_as(string_maker make, const char *text, unsigned form) {
  swift_string string = make(text);
  bool is_same = is_read_as(string, text, form);
  string_release(string);
  return is_same;
}

static const char *prove(void) {
  enum { small_ascii = 14, small_text = 10, native = 0, literal = 8 };
  string_maker make = (string_maker)runtime_find("$sSS7cStringSSSPys4Int8VG_tcfC");
  if (!make) return "this Swift runtime makes no texts for OpTrace, which therefore cannot prove how it reads them";
  if (!is_made_as(make, "", small_ascii) || !is_made_as(make, "seven b", small_ascii) ||
      !is_made_as(make, "fifteen bytes !", small_ascii) || !is_made_as(make, "M\xC3\xA4rz", small_text))
    return "short texts of this Swift runtime have another layout";
  if (!is_made_as(make, "sixteen bytes ..", native) ||
      !is_made_as(make, "ein l\xC3\xA4ngerer Text, der nirgends hineinpasst", native))
    return "long texts of this Swift runtime have another layout";
  // A string constant of Foundation that the compiler stored as a literal.
  typedef SWIFT const swift_string *(*addressor)(void);
  addressor constant = (addressor)runtime_find("$s10Foundation18NSCocoaErrorDomainSSvau");
  if (constant && !is_read_as(*constant(), "NSCocoaErrorDomain", literal))
    return "constant texts of this Swift runtime have another layout";
  // The function that reads all other forms must return the same text.
  swift_string string = make("another text, of some length");
  string_text text = {0};
  read_unusual(string, &text);
  bool is_same = !copy_bytes || (text.length == 28 && memcmp(text.bytes, "another text, of some length", 28) == 0);
  string_done(&text);
  string_release(string);
  return is_same ? NULL : "arrays of this Swift runtime have another layout";
}

const char *strings_prove(void) {
  copy_bytes = (SWIFT void *(*)(uint64_t, uint64_t))runtime_find("$sSS11utf8CStrings15ContiguousArrayVys4Int8VGvg");
  is_proven = true;
  const char *why = prove();
  is_proven = !why;
  return why;
}
#endif
