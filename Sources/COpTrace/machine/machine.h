// Whether the machine has too few processors for what wants to run, so that what is slow may not be the program's fault. The kernel
// counts how long each thread could have run and had no processor, and how long a control group was stopped at its limit.
#ifndef OPTRACE_MACHINE_H
#define OPTRACE_MACHINE_H

#include "../storage/recorder.h"

// Frees what `machine_report` keeps. Call it after the flusher has ended.
void machine_discard(optrace_recorder *recorder);
// A source of the flusher (see life/sources.h). Once a second it writes a `machine` record, if the program's threads waited for a
// processor for at least 5 % of the time since the last one, or its control group was stopped. Takes some 5 µs for each thread, of at
// most 64 threads a second.
bool machine_report(optrace_recorder *recorder, flusher_beat beat);

#endif
