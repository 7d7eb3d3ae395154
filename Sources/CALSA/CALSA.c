#include "CALSA.h"

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define FUNCTIONS(each) \
    each(snd_lib_error_set_handler) each(snd_pcm_close) each(snd_pcm_delay) each(snd_pcm_open) each(snd_pcm_readi) \
    each(snd_pcm_recover) each(snd_pcm_set_params) each(snd_pcm_start) each(snd_pcm_state) each(snd_pcm_wait) \
    each(snd_strerror)

struct functions {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};
static struct functions alsa;

const char *const calsa_library = "libasound.so.2";

/// The first error that the library logged on this thread; later ones only name the callers.
static _Thread_local char first_message[160];

static void listen(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error;
    if (first_message[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(first_message, sizeof first_message, format, arguments);
    va_end(arguments);
}

static bool fill(const char *name, struct functions *table, struct calsa_message *reason) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    bool found = library != NULL;
#define FIND(function) found = found && (table->function = (__typeof__(table->function))dlsym(library, #function));
    FUNCTIONS(FIND)
#undef FIND
    if (!found) snprintf(reason->text, sizeof reason->text, "%s", dlerror());
    return found;
}

int calsa_load(const char *library, struct calsa_message *reason) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool is_loaded;
    struct functions table;
    pthread_mutex_lock(&mutex);
    bool found = fill(library, &table, reason);
    if (found && !is_loaded) {
        alsa = table;
        alsa.snd_lib_error_set_handler(listen);
        is_loaded = true;
    }
    pthread_mutex_unlock(&mutex);
    return found ? 0 : -1;
}

void calsa_describe_error(int error, struct calsa_message *message) {
    if (first_message[0]) {
        snprintf(message->text, sizeof message->text, "%s (%s)", alsa.snd_strerror(error), first_message);
    } else {
        snprintf(message->text, sizeof message->text, "%s", alsa.snd_strerror(error));
    }
    first_message[0] = 0;
}

// The library's snd_pcm_t under our name.
static snd_pcm_t *pcm(struct calsa_capture *capture) {
    return (snd_pcm_t *)capture;
}

int calsa_open(
    const char *device, int rate, int channels, int buffer, struct calsa_capture **capture, struct calsa_message *reason) {
    snd_pcm_t *opened = NULL;
    first_message[0] = 0;
    int result = alsa.snd_pcm_open(&opened, device, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
    if (result >= 0) {
        result = alsa.snd_pcm_set_params(
            opened, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, (unsigned)channels, (unsigned)rate, 1,
            (unsigned)buffer);
    }
    if (result >= 0) result = alsa.snd_pcm_start(opened);
    if (result >= 0) {
        *capture = (struct calsa_capture *)opened;
        return 0;
    }
    calsa_describe_error(result, reason);
    if (opened) alsa.snd_pcm_close(opened);
    return result;
}

long calsa_read(struct calsa_capture *capture, int wait, int16_t *samples, long room, long *behind) {
    int ready = alsa.snd_pcm_wait(pcm(capture), wait);
    if (ready <= 0) return ready;
    snd_pcm_sframes_t delay = 0;
    // Measured before reading: the delay is then the age of the first sample.
    int result = alsa.snd_pcm_delay(pcm(capture), &delay);
    if (result < 0) return result;
    *behind = delay;
    long count = alsa.snd_pcm_readi(pcm(capture), samples, (snd_pcm_uframes_t)room);
    return count == -EAGAIN ? 0 : count;
}

int calsa_recover(struct calsa_capture *capture, int error) {
    int result = alsa.snd_pcm_recover(pcm(capture), error, 1);
    if (result >= 0 && alsa.snd_pcm_state(pcm(capture)) == SND_PCM_STATE_PREPARED) {
        result = alsa.snd_pcm_start(pcm(capture));
    }
    return result < 0 ? result : 0;
}

void calsa_close(struct calsa_capture *capture) {
    alsa.snd_pcm_close(pcm(capture));
}
