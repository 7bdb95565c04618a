// A small copy of the locale data that Swift's Foundation would take into a static program: 2 MB in the place of 34. The linker
// takes what an object defines before a member of an archive that defines the same. `.ci/static-libraries` writes the header before
// a release build; without it this file is empty, and the program has the whole data. Why: docs/decisions/size.md.
#if defined(__linux__) && !defined(DEBUG) && __has_include("locale-data.h")
#include "locale-data.h"
#endif
