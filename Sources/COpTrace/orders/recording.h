// The recorder that records orders.
#ifndef OPTRACE_ORDERS_RECORDING_H
#define OPTRACE_ORDERS_RECORDING_H

#include "COpTrace.h"

// Null: none does.
optrace_recorder *orders_recorder(void);
void orders_set_recorder(optrace_recorder *recorder);

#endif
