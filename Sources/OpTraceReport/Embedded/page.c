#include "COpTracePage.h"

#include <string.h>

// Style sheets are in the order in which they apply; a module comes before those that import it.
#define FILES(file) \
  file(page_html, "OpTraceReport/Page/page.html") \
  file(page_css, "OpTraceReport/Page/page.css") \
  file(timeline_css, "OpTraceReport/Page/timeline.css") \
  file(requests_css, "OpTraceReport/Page/requests.css") \
  file(elements, "COpTraceScripts/Scripts/elements.mjs") \
  file(names, "COpTraceScripts/Scripts/names.mjs") \
  file(flame, "COpTraceScripts/Scripts/flame.mjs") \
  file(columns, "OpTraceReport/Page/columns.mjs") \
  file(format, "OpTraceReport/Page/format.mjs") \
  file(words, "OpTraceReport/Page/words.mjs") \
  file(requests, "OpTraceReport/Page/requests.mjs") \
  file(model, "OpTraceReport/Page/model.mjs") \
  file(waiting, "OpTraceReport/Page/waiting.mjs") \
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
  file(samples_flame, "OpTraceReport/Page/samples-flame.mjs") \
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
#define PREFIX optrace_page
#include "COpTraceScripts/embedding.h"
