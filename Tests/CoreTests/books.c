// The names of a program's file, and whose code is whose in it.
#include "../../Sources/COpTrace/book/book.h"
#include "../../Sources/COpTrace/book/sides.h"
#include "harness.h"

#if defined(__linux__)
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Whose code ------------------------------------------------------------------------------------------------------

enum { step = 16, most_functions = 4096, most_text = 1 << 18 };

// A file in memory: functions one behind the other, 16 bytes each.
static struct {
  Elf64_Sym symbols[most_functions];
  char text[most_text];
  uint32_t count;
  size_t used;
} made = {.used = 1};

static void add(const char *name) {
  made.symbols[made.count] = (Elf64_Sym){
    .st_name = (uint32_t)made.used, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1,
    .st_value = 0x1000 + step * (uint64_t)made.count++, .st_size = step,
  };
  memcpy(made.text + made.used, name, strlen(name) + 1);
  made.used += strlen(name) + 1;
}

static void add_many(const char *name, int count) {
  for (int i = 0; i < count; i++) add(name);
}

static uint64_t address(uint32_t function) { return 0x1000 + step * (uint64_t)function; }

static sides known;

static uint32_t library_of(uint32_t function) { return sides_library_at(&known, address(function)); }

static void find(void) {
  symbol_file file = {.symbols = made.symbols, .count = made.count, .names = made.text, .names_size = made.used};
  sides_find(&known, &file, 0);
}

TEST(the_program_stands_between_the_first_and_the_last_of_its_names) {
  add_many("_ZN5swift4coldEv", 100);      // 0: what is seldom run comes first.
  add_many("_start", 1);                  // 100
  add_many("$s4main5FetchCACycfc", 3);    // 101
  add_many("$sSa6appendyyxnFSi_Tg5", 5);  // 104: made of the standard library for the program.
  add_many("$s7NIOCore10ByteBufferV", 2); // 109
  add_many("sqlite3_open", 4);            // 111: no name says whose it is.
  add_many("main", 1);                    // 115
  add_many("$ss5print_9separatoryypd", 200);  // 116: the standard library begins.
  add_many("swift_retain", 300);          // 316
  add_many("dispatch_async", 100);        // 616
  add_many("$s8Dispatch0A5QueueC5async", 50);  // 716
  add_many("$s10Foundation9OperationC", 100);  // 766
  add_many("$s20FoundationEssentials4DataV", 100);  // 866
  find();
  for (uint32_t i = 100; i < 116; i++) EXPECT_EQUAL(library_of(i), book_program);
  for (uint32_t i = 0; i < 100; i++) EXPECT_EQUAL(library_of(i), book_runtime);
  EXPECT_EQUAL(library_of(116), book_runtime);
  EXPECT_EQUAL(library_of(615), book_runtime);
  EXPECT_EQUAL(library_of(616), book_dispatch);
  EXPECT_EQUAL(library_of(716), book_dispatch_overlay);
  EXPECT_EQUAL(library_of(766), book_foundation);
  EXPECT_EQUAL(library_of(900), book_other_library);
  EXPECT(sides_is_programs(&known, address(115) + step - 1) && !sides_is_programs(&known, address(116)));
}

// As lld puts the files of archives: each where something first needs it.
TEST(the_overlay_may_be_in_several_pieces) {
  add_many("$s4main5FetchCACycfc", 8);         // 0
  add_many("swift_retain", 100);               // 8
  add_many("$s8Dispatch0A4DataV", 30);         // 108
  add_many("dispatch_async", 40);              // 138
  add_many("$s8Dispatch0A5QueueC4sync", 60);   // 178
  add_many("block_copy_helper", 2);            // 238: names that say nothing …
  add_many("$s8Dispatch0A5QueueC5async", 20);  // 240: … inside of it.
  add_many("dispatch_apply", 5);               // 260
  add_many("$s8Dispatch0A4TimeV", 13);         // 265
  add_many("$s10Foundation9OperationC", 50);   // 278
  add_many("$s8Dispatch0A5QueueC4syncTg5", 3); // 328: Foundation's own.
  add_many("$s10Foundation9OperationC", 50);   // 331
  find();
  for (uint32_t i = 0; i < 381; i++) {
    bool is_overlay = (i >= 108 && i < 138) || (i >= 178 && i < 260) || (i >= 265 && i < 278);
    if (sides_is_overlay(&known, address(i)) != is_overlay) core_test_fail(__FILE__, __LINE__, "%u", i);
  }
}

TEST(a_librarys_own_calls_come_from_its_piece_alone) {
  add_many("$s4main5FetchCACycfc", 8);         // 0
  add_many("$s8Dispatch0A5QueueC4cold", 2);    // 8: what is seldom run.
  add_many("swift_retain", 100);               // 10
  add_many("_Block_copy", 5);                  // 110: of nobody that is known.
  add_many("dispatch_async", 40);              // 115
  add_many("inflate", 3);                      // 155
  add_many("dispatch_sync", 40);               // 158
  add_many("$s8Dispatch0A5QueueC5async", 10);  // 198
  add_many("$s10Foundation9OperationC", 50);   // 208
  add_many("$s20FoundationEssentials4DataVTg5", 8);  // 258: among Foundation's own.
  add_many("$s10Foundation9OperationC", 50);   // 266
  add_many("$s20FoundationEssentials4DataV", 90);    // 316
  add_many("$s8Dispatch0A5QueueCSgWOh", 1);    // 406: what the compiler made for another library …
  add_many("u_charsToUChars", 200);            // 407: … with names that say nothing behind it.
  find();
  book_range dispatch = sides_library_around(&known, address(120));
  EXPECT(dispatch.low <= address(115) && dispatch.low > address(109) && dispatch.high == address(198));
  EXPECT(!sides_is_overlay(&known, address(198) - 1) && sides_is_overlay(&known, address(198)));
  EXPECT(sides_is_overlay(&known, address(208) - 1) && !sides_is_overlay(&known, address(208)));
  book_range foundation = sides_library_around(&known, address(300));
  EXPECT(foundation.low == address(208) && foundation.high == address(316));
  book_range program = sides_library_around(&known, address(5));
  EXPECT(program.low == program.high);
}

TEST(a_single_name_of_a_library_moves_no_border) {
  add_many("$s4main5FetchCACycfc", 50);
  add_many("swift_log_helper", 1);  // A function of the program's in C that is called so.
  add_many("$s4main5FetchCACycfc", 50);
  add_many("swift_retain", 500);
  find();
  for (uint32_t i = 0; i < 101; i++) EXPECT(sides_is_programs(&known, address(i)));
  EXPECT(!sides_is_programs(&known, address(101)));
}

// ---- Files -----------------------------------------------------------------------------------------------------------

static uint8_t *read_self(size_t *size) {
  FILE *file = fopen("/proc/self/exe", "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*size);
  if (bytes && fread(bytes, 1, *size, file) != *size) *size = 0;
  fclose(file);
  return bytes;
}

static uint64_t next(uint64_t *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state ^ *state >> 29;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) return;
  fwrite(bytes, 1, size, file);
  fclose(file);
}

static size_t read_all_names(const symbol_file *file) {
  size_t length = 0;
  for (uint32_t i = 0; i < file->count; i++) length += strlen(symbol_name(file, &file->symbols[i]));
  for (size_t i = 0; i < file->id_size; i++) length += file->id[i];
  return length;
}

TEST(a_file_names_its_functions) {
  symbol_file file;
  REQUIRE(symbol_file_open(&file, "/proc/self/exe"));
  bool has_main = false;
  for (uint32_t i = 0; i < file.count; i++)
    has_main |= symbol_is_function(&file.symbols[i]) && strcmp(symbol_name(&file, &file.symbols[i]), "main") == 0;
  EXPECT(has_main && !file.has_swift);
  symbol_file_close(&file);
  EXPECT(!symbol_file_open(&file, "/nowhere"));
  EXPECT(!symbol_file_open(&file, "/"));
  EXPECT(!symbol_file_open(&file, "/dev/null"));
}

TEST(a_file_that_is_cut_or_lies_does_no_harm) {
  size_t size = 0;
  uint8_t *bytes = read_self(&size), *changed = malloc(size ? size : 1);
  REQUIRE(bytes && changed && size > sizeof(Elf64_Ehdr));
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)bytes;
  size_t sections = head->e_shoff, sections_size = head->e_shnum * sizeof(Elf64_Shdr), total = 0;
  uint64_t state = core_test_seed();
  for (int round = 0; round < 200; round++) {
    memcpy(changed, bytes, size);
    for (int i = 0; i < 8; i++) {
      uint64_t number = next(&state);
      size_t at = i % 4 == 0 ? number % sizeof *head : i % 4 == 3 ? number % size : sections + number % sections_size;
      if (at < size) changed[at] = (uint8_t)(number >> 56);
    }
    write_file("changed", changed, round % 4 == 0 ? next(&state) % size : size);
    symbol_file file;
    if (!symbol_file_open(&file, "changed")) continue;
    total += read_all_names(&file);
    sides_forget(&known);
    sides_find(&known, &file, 0);
    symbol_file_close(&file);
  }
  EXPECT(total > 0);
  free(bytes);
  free(changed);
}

TEST(what_the_loader_knows_is_found_and_is_no_part_of_the_program) {
  book_entry found;
  EXPECT(book_look_up("malloc", &found) && found.address && !found.is_in_program);
  EXPECT(!book_look_up("no_function_has_this_name", &found) && !found.address);
  EXPECT(!book_is_static() && !book_is_stripped());
  EXPECT(book_is_programs((uint64_t)(uintptr_t)&read_self));
  EXPECT_EQUAL(book_library_at((uint64_t)(uintptr_t)&read_self), book_program);
}
#endif
