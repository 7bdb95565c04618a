// Why in C: its compiler takes a file as it is. As array literals in Swift, which is how SwiftPM embeds a file, the same bytes took half
// of the time in which the admin API is compiled.
#include "CDashboard.h"

// Standard in C23; Swift's compiler has it in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char frame[] = {
#embed "page/dashboard.html"
};

static const unsigned char style[] = {
#embed "page/base.css" prefix('\n', ) suffix(, )
#embed "page/frame.css" prefix('\n', ) suffix(, )
#embed "page/journal.css" prefix('\n', ) suffix(, )
#embed "page/dialogs.css" prefix('\n', ) suffix(, )
};

// Each module after those that it imports.
static const unsigned char modules[] = {
#embed "page/base.js" prefix('\n', ) suffix(, )
#embed "page/text.js" prefix('\n', ) suffix(, )
#embed "page/address.js" prefix('\n', ) suffix(, )
#embed "page/view.js" prefix('\n', ) suffix(, )
#embed "page/api.js" prefix('\n', ) suffix(, )
#embed "page/entry.js" prefix('\n', ) suffix(, )
#embed "page/timeline.js" prefix('\n', ) suffix(, )
#embed "page/query.js" prefix('\n', ) suffix(, )
#embed "page/diff.js" prefix('\n', ) suffix(, )
#embed "page/texts.js" prefix('\n', ) suffix(, )
#embed "page/rows.js" prefix('\n', ) suffix(, )
#embed "page/journal.js" prefix('\n', ) suffix(, )
#embed "page/again.js" prefix('\n', ) suffix(, )
#embed "page/compare.js" prefix('\n', ) suffix(, )
#embed "page/exchange.js" prefix('\n', ) suffix(, )
#embed "page/verdict.js" prefix('\n', ) suffix(, )
#embed "page/fields.js" prefix('\n', ) suffix(, )
#embed "page/rules.js" prefix('\n', ) suffix(, )
#embed "page/faults.js" prefix('\n', ) suffix(, )
#embed "page/outage.js" prefix('\n', ) suffix(, )
#embed "page/state.js" prefix('\n', ) suffix(, )
#embed "page/webhooks.js" prefix('\n', ) suffix(, )
#embed "page/sessions.js" prefix('\n', ) suffix(, )
#embed "page/keys.js" prefix('\n', ) suffix(, )
#embed "page/main.js" prefix('\n', ) suffix(, )
};

CDashboardText dashboardFrame(void) { return (CDashboardText){frame, sizeof frame}; }
CDashboardText dashboardStyle(void) { return (CDashboardText){style, sizeof style}; }
CDashboardText dashboardModules(void) { return (CDashboardText){modules, sizeof modules}; }
