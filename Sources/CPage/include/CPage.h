#ifndef CPAGE_H
#define CPAGE_H

#include <stddef.h>

/// A file of the page, which is a part of the program.
struct page_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/// All files; the last one has no name.
const struct page_file *page_files(void);

#endif
