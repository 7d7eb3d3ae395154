// Counts what is allocated on the heap. For tests with a bound on that number.
#pragma once

// How often this thread has allocated so far; -1 under a sanitizer, which has an allocator of its own.
long allocations_of_this_thread(void);
