#include "CAV.h"
#include "functions.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define NAME(library, version) "lib" library ".so." TEXT(version)

const struct cav_libraries cav_libraries = {
    .format = NAME("avformat", LIBAVFORMAT_VERSION_MAJOR),
    .codec = NAME("avcodec", LIBAVCODEC_VERSION_MAJOR),
    .util = NAME("avutil", LIBAVUTIL_VERSION_MAJOR),
};

struct cav_functions av;

/// The last error that a library logged on this thread.
static _Thread_local char last_message[160];

static void listen(void *from, int level, const char *format, va_list arguments) {
    (void)from;
    if (level > AV_LOG_ERROR) return;
    vsnprintf(last_message, sizeof last_message, format, arguments);
    last_message[strcspn(last_message, "\n")] = 0;
}

/// In the order in which they are opened.
enum { FORMAT, CODEC, UTIL, LIBRARIES };

/// Allocates 14 kB in its constructor that its destructor does not free. libavcodec needs it for librsvg.
static const char *const never_unloaded = "libpixman-1.so.0";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/// Callers of cav_load and cav_retain that have not released the libraries.
static int users;
/// NULL: they are not loaded.
static void *opened[LIBRARIES];

static void close_libraries(void **libraries) {
    for (int i = LIBRARIES - 1; i >= 0; i--) {
        if (libraries[i]) dlclose(libraries[i]);
        libraries[i] = NULL;
    }
}

static void *open_library(const char *name, struct cav_message *reason) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(reason->text, sizeof reason->text, "%s", dlerror());
    return library;
}

static bool fill(
    const struct cav_libraries *names, void **libraries, struct cav_functions *table, struct cav_message *reason) {
    void *library;
#define FIND(function) \
    if (!(table->function = (__typeof__(table->function))dlsym(library, #function))) { \
        snprintf(reason->text, sizeof reason->text, "%s", dlerror()); \
        return false; \
    }
    if (!(library = libraries[FORMAT] = open_library(names->format, reason))) return false;
    CAV_FORMAT_FUNCTIONS(FIND)
    if (!(library = libraries[CODEC] = open_library(names->codec, reason))) return false;
    CAV_CODEC_FUNCTIONS(FIND)
    if (!(library = libraries[UTIL] = open_library(names->util, reason))) return false;
    CAV_UTIL_FUNCTIONS(FIND)
#undef FIND
    return true;
}

int cav_load(struct cav_libraries names, struct cav_message *reason) {
    // Each call looks the functions up again, which is cheap, because the names of the libraries may differ.
    struct cav_functions table;
    void *libraries[LIBRARIES] = {NULL};
    pthread_mutex_lock(&mutex);
    bool found = fill(&names, libraries, &table, reason);
    // There may be users that loaded nothing: they keep what is loaded later.
    if (found && !opened[FORMAT]) {
        av = table;
        memcpy(opened, libraries, sizeof opened);
        av.av_log_set_callback(listen);
        dlopen(never_unloaded, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    } else {
        close_libraries(libraries);
    }
    if (found) users++;
    pthread_mutex_unlock(&mutex);
    return found ? 0 : -1;
}

void cav_retain(void) {
    pthread_mutex_lock(&mutex);
    users++;
    pthread_mutex_unlock(&mutex);
}

void cav_unload(void) {
    pthread_mutex_lock(&mutex);
    if (--users == 0) {
        close_libraries(opened);
        malloc_trim(0);
    }
    pthread_mutex_unlock(&mutex);
}

void cav_keep_until_exit(void) {
    // A use that is never released.
    cav_retain();
}

void cav_describe_error(int error, struct cav_message *message) {
    char meaning[AV_ERROR_MAX_STRING_SIZE] = "";
    av.av_strerror(error, meaning, sizeof meaning);
    if (last_message[0]) {
        snprintf(message->text, sizeof message->text, "%s (%s)", meaning, last_message);
    } else {
        snprintf(message->text, sizeof message->text, "%s", meaning);
    }
    last_message[0] = 0;
}
