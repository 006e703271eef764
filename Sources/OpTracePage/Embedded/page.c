#include "COpTracePage.h"

#include <string.h>

// Style sheets are in the order in which they apply; a module comes before those that import it.
#define FILES(file) \
  file(page_html, "OpTracePage/Page/page.html") \
  file(page_css, "OpTracePage/Page/page.css") \
  file(flame_boxes_css, "OpTracePage/Page/flame-boxes.css") \
  file(elements, "COpTraceScripts/Scripts/elements.mjs") \
  file(names, "COpTraceScripts/Scripts/names.mjs") \
  file(flame, "COpTraceScripts/Scripts/flame.mjs") \
  file(parts, "OpTracePage/Page/parts.mjs") \
  file(columns, "OpTracePage/Page/columns.mjs") \
  file(format, "OpTracePage/Page/format.mjs") \
  file(words, "OpTracePage/Page/words.mjs") \
  file(model, "OpTracePage/Page/model.mjs") \
  file(waiting, "OpTracePage/Page/waiting.mjs") \
  file(selection, "OpTracePage/Page/selection.mjs") \
  file(dom, "OpTracePage/Page/dom.mjs") \
  file(flame_boxes, "OpTracePage/Page/flame-boxes.mjs") \
  file(viewport, "OpTracePage/Page/viewport.mjs") \
  file(samples, "OpTracePage/Page/samples.mjs") \
  file(renewal, "OpTracePage/Page/renewal.mjs") \
  file(table, "OpTracePage/Page/table.mjs") \
  file(head, "OpTracePage/Page/head.mjs") \
  file(tabs, "OpTracePage/Page/tabs.mjs") \
  file(search, "OpTracePage/Page/search.mjs") \
  file(stacks, "OpTracePage/Page/stacks.mjs") \
  file(panel, "OpTracePage/Page/panel.mjs") \
  file(findings, "OpTracePage/Page/findings.mjs") \
  file(help, "OpTracePage/Page/help.mjs") \
  file(live, "OpTracePage/Page/live.mjs") \
  file(main, "OpTracePage/Page/main.mjs")
#define PREFIX optrace_page
#include "COpTraceScripts/embedding.h"
