// SQLite's C API, and two calls that Swift cannot write: SQLITE_TRANSIENT, by which SQLite copies the bytes, is a pointer of the value -1.
// A null pointer would be bound as NULL, and an empty array of Swift's may have one.
#pragma once
#include <sqlite3.h>

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, count ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}
