#include "COpTracePage.h"

// The files, each as an identifier and a path below Sources, which is among the include paths. Style sheets are
// in the order in which they apply; a module comes before those that import it.
#define PAGE_FILES(file) \
  file(page_html, "OpTraceReport/Page/page.html") \
  file(page_css, "OpTraceReport/Page/page.css") \
  file(timeline_css, "OpTraceReport/Page/timeline.css") \
  file(requests_css, "OpTraceReport/Page/requests.css") \
  file(columns, "OpTraceReport/Page/columns.mjs") \
  file(format, "OpTraceReport/Page/format.mjs") \
  file(words, "OpTraceReport/Page/words.mjs") \
  file(requests, "OpTraceReport/Page/requests.mjs") \
  file(model, "OpTraceReport/Page/model.mjs") \
  file(selection, "OpTraceReport/Page/selection.mjs") \
  file(dom, "OpTraceReport/Page/dom.mjs") \
  file(slices, "OpTraceReport/Page/slices.mjs") \
  file(steps, "OpTraceReport/Page/steps.mjs") \
  file(colours, "OpTraceReport/Page/colours.mjs") \
  file(rows, "OpTraceReport/Page/rows.mjs") \
  file(viewport, "OpTraceReport/Page/viewport.mjs") \
  file(samples, "OpTraceReport/Page/samples.mjs") \
  file(painter, "OpTraceReport/Page/painter.mjs") \
  file(minimap, "OpTraceReport/Page/minimap.mjs") \
  file(gestures, "OpTraceReport/Page/gestures.mjs") \
  file(timeline, "OpTraceReport/Page/timeline.mjs") \
  file(renewal, "OpTraceReport/Page/renewal.mjs") \
  file(table, "OpTraceReport/Page/table.mjs") \
  file(histogram, "OpTraceReport/Page/histogram.mjs") \
  file(head, "OpTraceReport/Page/head.mjs") \
  file(tabs, "OpTraceReport/Page/tabs.mjs") \
  file(search, "OpTraceReport/Page/search.mjs") \
  file(stacks, "OpTraceReport/Page/stacks.mjs") \
  file(flame, "OpTraceReport/Page/flame.mjs") \
  file(panel, "OpTraceReport/Page/panel.mjs") \
  file(graph, "OpTraceReport/Page/graph.mjs") \
  file(comparison, "OpTraceReport/Page/comparison.mjs") \
  file(critical_path, "OpTraceReport/Page/critical-path.mjs") \
  file(why, "OpTraceReport/Page/why.mjs") \
  file(findings, "OpTraceReport/Page/findings.mjs") \
  file(latency, "OpTraceReport/Page/latency.mjs") \
  file(waterfall, "OpTraceReport/Page/waterfall.mjs") \
  file(requests_tab, "OpTraceReport/Page/requests-tab.mjs") \
  file(flame_tab, "OpTraceReport/Page/flame-tab.mjs") \
  file(help, "OpTraceReport/Page/help.mjs") \
  file(live, "OpTraceReport/Page/live.mjs") \
  file(main, "OpTraceReport/Page/main.mjs")

// A file that is missing is an error here. Its name in this condition is also what makes a changed file a reason to
// compile this again: the compiler lists it among what it depends on, while the assembler tells nobody what it reads.
#define EXISTS(file, path) && __has_include(path)
#if !(1 PAGE_FILES(EXISTS))
#error "A file of the page is missing."
#endif

// Embedded by the assembler and not with #embed: older compilers lack that, and newer ones warn of it before C23.
#ifdef __APPLE__
#define READ_ONLY "__TEXT,__const"
#define SYMBOL(name) "_" name
#define LOCAL(name) "L" name
#else
#define READ_ONLY ".rodata"
#define SYMBOL(name) name
#define LOCAL(name) ".L" name
#endif

// The bytes of a file, and how many they are.
#define EMBED(file, path) \
  __asm__(".pushsection " READ_ONLY "\n" \
          SYMBOL("optrace_page_" #file) ":\n" \
          ".incbin \"" path "\"\n" \
          LOCAL("optrace_page_end_" #file) ":\n" \
          ".byte 0\n" \
          ".p2align 3\n" \
          SYMBOL("optrace_page_length_" #file) ":\n" \
          ".quad " LOCAL("optrace_page_end_" #file) " - " SYMBOL("optrace_page_" #file) "\n" \
          ".popsection\n"); \
  extern __attribute__((visibility("hidden"))) const char optrace_page_##file[]; \
  extern __attribute__((visibility("hidden"))) const unsigned long long optrace_page_length_##file;

PAGE_FILES(EMBED)

#define COUNT(file, path) +1
enum { file_count = 0 PAGE_FILES(COUNT) };

size_t optrace_page_file_count(void) { return file_count; }

const char *optrace_page_file_name(size_t index) {
#define NAME(file, path) &path[sizeof "OpTraceReport/Page/" - 1],
  static const char *const names[] = {PAGE_FILES(NAME)};
  return index < file_count ? names[index] : NULL;
}

const void *optrace_page_file_bytes(size_t index) {
#define BYTES(file, path) optrace_page_##file,
  static const char *const bytes[] = {PAGE_FILES(BYTES)};
  return index < file_count ? bytes[index] : NULL;
}

size_t optrace_page_file_length(size_t index) {
#define LENGTH(file, path) &optrace_page_length_##file,
  static const unsigned long long *const lengths[] = {PAGE_FILES(LENGTH)};
  return index < file_count ? *lengths[index] : 0;
}
