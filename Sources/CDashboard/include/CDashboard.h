// The dashboard's page, style and script, which the compiler puts into the program (dashboard.c).
#include <stddef.h>

/// The bytes of a text in UTF-8. They belong to the program and are never freed.
typedef struct {
    const unsigned char *_Nonnull start;
    size_t count;
} CDashboardText;

/// The page without its style and its script.
CDashboardText dashboardFrame(void);

/// The files of the style, with a line break before each.
CDashboardText dashboardStyle(void);

/// The modules of the script, with a line break before each, and their imports and exports still in them.
CDashboardText dashboardModules(void);
