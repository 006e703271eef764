#include "COpTrace.h"
