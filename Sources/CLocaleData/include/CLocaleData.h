// CLocaleData has nothing to call: linked into the program it takes the place of Foundation's locale data (locale-data.c).
