// Counts what is allocated on the heap. For tests that say how much that is.
#pragma once

// How often this thread has allocated so far; -1 under a sanitizer, which has an allocator of its own.
long allocations_of_this_thread(void);
