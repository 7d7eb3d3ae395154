// LD_PRELOAD for the agent: counts its calls of fsync, fdatasync, syncfs and sync_file_range in the file
// SYNCS, a number of 64 bits.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t *calls;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SYNCS");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (file < 0 || ftruncate(file, sizeof *calls) < 0) {
        perror("SYNCS");
        exit(2);
    }
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (calls == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
}

#define COUNTED(name, parameters, ...)                               \
    int name parameters {                                            \
        static int (*next) parameters;                               \
        if (!next) next = (int (*) parameters)dlsym(RTLD_NEXT, #name); \
        atomic_fetch_add(calls, 1);                                  \
        return next(__VA_ARGS__);                                    \
    }

COUNTED(fsync, (int file), file)
COUNTED(fdatasync, (int file), file)
COUNTED(syncfs, (int file), file)
COUNTED(sync_file_range, (int file, off_t offset, off_t count, unsigned flags), file, offset, count, flags)
