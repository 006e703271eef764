// Embeds files as they are when this is compiled, each with a zero after its end. To be included once, after two macros:
// FILES(file), which lists them, each as an identifier and a path below Sources, which is among the include paths; and
// PREFIX, with which the names of the three functions begin that the includer's own header declares.

// A file that is missing is an error here. Its name in this condition is also what makes a changed file a reason to
// compile this again: the compiler lists it among what it depends on, while the assembler tells nobody what it reads.
#define EXISTS(file, path) && __has_include(path)
#if !(1 FILES(EXISTS))
#error "A file that is to be embedded is missing."
#endif

#define JOIN_NAMES(prefix, name) prefix##_##name
#define NAMED(prefix, name) JOIN_NAMES(prefix, name)
#define AS_TEXT(name) #name
#define TEXT_OF(name) AS_TEXT(name)

// Embedded by the assembler and not with #embed: older compilers lack that, and newer ones warn of it before C23.
#ifdef __APPLE__
#define READ_ONLY "__TEXT,__const"
#define SYMBOL(name) "_" name
#else
#define READ_ONLY ".rodata"
#define SYMBOL(name) name
#endif

#define EMBED(file, path) \
  __asm__(".pushsection " READ_ONLY "\n" \
          SYMBOL(TEXT_OF(PREFIX) "_of_" #file) ":\n" \
          ".incbin \"" path "\"\n" \
          ".byte 0\n" \
          ".popsection\n"); \
  extern __attribute__((visibility("hidden"))) const char NAMED(PREFIX, of_##file)[];

FILES(EMBED)

#define COUNT(file, path) +1
enum { file_count = 0 FILES(COUNT) };

size_t NAMED(PREFIX, count)(void) { return file_count; }

const char *NAMED(PREFIX, name)(size_t index) {
#define PATH(file, path) path,
  static const char *const paths[] = {FILES(PATH)};
  return index < file_count ? strrchr(paths[index], '/') + 1 : NULL;
}

const char *NAMED(PREFIX, text)(size_t index) {
#define TEXT(file, path) NAMED(PREFIX, of_##file),
  static const char *const texts[] = {FILES(TEXT)};
  return index < file_count ? texts[index] : NULL;
}
