// beeper DEVICE RATE CHANNELS [ON_MS PERIOD_MS]: plays a tone of 440 Hz without end, or for so long at the
// beginning of each period.
//
// For each beginning of the tone it prints when that is to be heard: nanoseconds of CLOCK_MONOTONIC, the
// clock of the cameras' logs.

#include <alsa/asoundlib.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { latency = 400000, parts = 100, head = 50 };  // microseconds; of a second, silent at first

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void must(long result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "beeper: %s: %s\n", what, snd_strerror((int)result));
        exit(1);
    }
}

int main(int count, char **words) {
    if (count != 4 && count != 6) {
        fputs("usage: beeper DEVICE RATE CHANNELS [ON_MS PERIOD_MS]\n", stderr);
        return 2;
    }
    unsigned rate = (unsigned)atoi(words[2]), channels = (unsigned)atoi(words[3]), part = rate / parts;
    long on = count > 4 ? atol(words[4]) * rate / 1000 : rate, period = count > 4 ? atol(words[5]) * rate / 1000 : rate;
    snd_pcm_t *sound;
    must(snd_pcm_open(&sound, words[1], SND_PCM_STREAM_PLAYBACK, 0), words[1]);
    must(snd_pcm_set_params(sound, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, channels, rate, 0, latency), "set parameters");
    setvbuf(stdout, NULL, _IOLBF, 0);
    nice(-10);
    int16_t *samples = malloc(part * channels * sizeof *samples);
    for (long at = -(long)part * head;; at += part) {
        if (at >= 0 && at % period < part) {
            snd_pcm_sframes_t delay;
            must(snd_pcm_delay(sound, &delay), "delay");
            printf("%lld\n", (long long)(now() + (delay - at % period) * INT64_C(1000000000) / rate));
        }
        for (unsigned i = 0; i < part * channels; i++) {
            long n = at + i / channels;
            samples[i] = n >= 0 && n % period < on ? (int16_t)(16000 * sin(2 * M_PI * 440 * (double)n / rate)) : 0;
        }
        // What was too late is not made up for: the test that analyses the recording is to fail.
        must(snd_pcm_writei(sound, samples, part), "write");
    }
}
