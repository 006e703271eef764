#include "CCounters.h"
