#include <sqlite3.h>

// Swift takes no functions of C with a variable number of arguments.

// A name in double quotes that there is not is an error, and not a text.
static inline int optrace_take_no_quoted_names_for_texts(sqlite3 *database) {
  int status = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  return status != SQLITE_OK ? status : sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}
