// Writes what is new of orders into the trace, on the flusher's thread.
#ifndef OPTRACE_ORDERS_REPORT_H
#define OPTRACE_ORDERS_REPORT_H

#include "../storage/recorder.h"

// Orders are recorded from now on.
void report_begins(optrace_recorder *recorder);

// A source of the flusher; see life/sources.h.
bool orders_report(optrace_recorder *recorder, flusher_beat beat);
bool orders_have_news(optrace_recorder *recorder, flusher_beat beat);
void orders_stop(optrace_recorder *recorder);

#endif
