// What every C peer of the benchmarks does alike: connect to the loopback broker with TCP_NODELAY, subscribe,
// and drive libmosquitto by poll(2). A peer has one connection and ends with a message when anything goes
// wrong.
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <mosquitto.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/// No peer outlives this, in seconds, whatever happens to the broker or to the script that started it.
enum { longest_life = 900 };

static volatile sig_atomic_t told_to_end;
static bool connected;
static int subscribed;
static int last_published;

/// CLOCK_MONOTONIC in nanoseconds: the same clock in every process, and Python's time.monotonic_ns().
static inline int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

_Noreturn static inline void die(const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}

static inline void check(int code, const char *what) {
    if (code != MOSQ_ERR_SUCCESS)
        die(what, code == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(code));
}

/// One of the arguments as a number in a range.
static inline long number(const char *text, const char *name, long lowest, long highest) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == 0 || *end != 0 || value < lowest || value > highest)
        die(name, "not a number in its range");
    return value;
}

static inline void end_signal(int signal) { (void)signal, told_to_end = 1; }
static inline void on_connected(struct mosquitto *bus, void *context, int code) {
    (void)bus, (void)context;
    if (code != 0) die("connect", mosquitto_connack_string(code));
    connected = true;
}
static inline void on_subscribed(struct mosquitto *bus, void *context, int id, int count, const int *granted) {
    (void)bus, (void)context, (void)id;
    if (count != 1 || granted[0] > 2) die("subscribe", "refused by the broker");
    subscribed++;
}
static inline void on_published(struct mosquitto *bus, void *context, int id) {
    (void)bus, (void)context, last_published = id;
}

/// Waits for the socket at most `timeout_ms` and does what it is ready for: one packet in, everything waiting
/// out. A message that a callback published is written immediately, without a second turn through poll(2).
static inline void step(struct mosquitto *bus, int timeout_ms) {
    struct pollfd socket = {.fd = mosquitto_socket(bus), .events = POLLIN};
    if (mosquitto_want_write(bus)) socket.events |= POLLOUT;
    if (poll(&socket, 1, timeout_ms) < 0) {
        if (errno == EINTR) return;
        die("poll", strerror(errno));
    }
    if (socket.revents & (POLLIN | POLLHUP | POLLERR)) check(mosquitto_loop_read(bus, 1), "read");
    if (mosquitto_want_write(bus)) check(mosquitto_loop_write(bus, 1), "write");
}

typedef void message_callback(struct mosquitto *, void *, const struct mosquitto_message *);

/// Connects to 127.0.0.1 with MQTT 3.1.1 and a clean session. SIGTERM sets `told_to_end`.
static inline struct mosquitto *connect_to_broker(long port, message_callback *on_message) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    alarm(longest_life);
    struct sigaction action = {.sa_handler = end_signal};
    sigaction(SIGTERM, &action, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);

    check(mosquitto_lib_init(), "libmosquitto");
    struct mosquitto *bus = mosquitto_new(NULL, true, NULL);
    if (!bus) die("libmosquitto", strerror(errno));
    check(mosquitto_int_option(bus, MOSQ_OPT_TCP_NODELAY, 1), "TCP_NODELAY");
    mosquitto_connect_callback_set(bus, on_connected);
    mosquitto_subscribe_callback_set(bus, on_subscribed);
    mosquitto_publish_callback_set(bus, on_published);
    mosquitto_message_callback_set(bus, on_message);
    // The keep-alive is longer than any peer runs, so no peer has to send pings.
    check(mosquitto_connect(bus, "127.0.0.1", (int)port, 2 * longest_life), "connect");
    for (int turn = 0; !connected; turn++) {
        if (turn == 50) die("connect", "no answer from the broker in 5 s");
        step(bus, 100);
    }
    return bus;
}

/// Subscribes and waits until the broker has confirmed it.
static inline void subscribe_to(struct mosquitto *bus, const char *topic, long qos) {
    int before = subscribed;
    check(mosquitto_subscribe(bus, NULL, topic, (int)qos), topic);
    for (int turn = 0; subscribed == before; turn++) {
        if (turn == 10000) die(topic, "the subscription was not confirmed");
        step(bus, 100);
    }
}

/// Copies a payload as a text with a final NUL. A payload that is longer than any state ends the program.
static inline void payload_text(const struct mosquitto_message *message, char *text, size_t size) {
    size_t length = (size_t)message->payloadlen;
    if (length >= size) die(message->topic, "a longer payload than any state has");
    memcpy(text, message->payload, length);
    text[length] = 0;
}
