#include "pending.h"

const int8_t pending_by_kind[256] = {
  [optrace_kind_operation_created] = 1, [optrace_kind_finished] = -1, [optrace_kind_finished_with_error] = -1,
  [optrace_kind_block_submitted] = 1, [optrace_kind_run_ended] = -1, [optrace_kind_block_dropped] = -1,
  [optrace_kind_task_created] = 1, [optrace_kind_task_completed] = -1,
  [optrace_kind_added] = 1, [optrace_kind_added_behind_last] = 1, [optrace_kind_ended_finished] = -1,
};
