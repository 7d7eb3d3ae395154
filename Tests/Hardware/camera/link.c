#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define ATTACH "/sys/devices/platform/vhci_hcd.0/attach"

enum { high_speed = 3, most_waiting = 64, endpoints = 16 };
enum { submit = 1, unlink_request = 2, submit_answer = 3, unlink_answer = 4 };

/// Of every message; all numbers have the high byte first.
struct message {
    uint32_t command, sequence, device, direction, endpoint;
    union {
        struct {
            uint32_t flags, length, start, packets, interval;
            uint8_t setup[8];
        } submit;
        struct {
            uint32_t status, length, start, packets, errors;
        } answer;
        uint32_t unlinked;
        uint8_t size[28];
    };
};

static int cable = -1;
static struct urb waiting[most_waiting];
static size_t count;
static bool listened[endpoints];

static bool attach(int port, int other_end) {
    char line[64];
    int length = snprintf(line, sizeof line, "%d %d %d %d", port, other_end, 1 << 16 | (port + 2), high_speed);
    int file = open(ATTACH, O_WRONLY);
    if (file < 0) {
        return false;
    }
    // After an unplug the kernel needs a moment to free the port.
    instant deadline = now() + 5ull * second;
    bool done = false;
    while (!(done = write(file, line, (size_t)length) == length) && errno == EBUSY && now() < deadline) {
        usleep(5000);
    }
    int reason = errno;
    close(file);
    errno = reason;
    return done;
}

bool link_plug(int port) {
    int ends[2];
    if (cable >= 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        errno = cable >= 0 ? EALREADY : errno;
        return false;
    }
    bool attached = attach(port, ends[1]);
    int reason = errno;
    close(ends[1]);
    if (attached) {
        cable = ends[0];
    } else {
        close(ends[0]);
    }
    errno = reason;
    return attached;
}

void link_unplug(void) {
    if (cable >= 0) {
        shutdown(cable, SHUT_RDWR);
        close(cable);
    }
    cable = -1;
    count = 0;
    memset(listened, 0, sizeof listened);
}

int link_descriptor(void) {
    return cable;
}

static bool read_all(void *into, size_t length) {
    return length == 0 || recv(cable, into, length, MSG_WAITALL) == (ssize_t)length;
}

static void send_answer(uint32_t command, uint32_t sequence, int status, const void *data, uint32_t length, uint32_t sent) {
    struct message message = {.command = htonl(command), .sequence = htonl(sequence)};
    message.answer.status = htonl((uint32_t)status);
    message.answer.length = htonl(length);
    struct iovec parts[] = {{&message, sizeof message}, {(void *)data, sent}};
    struct msghdr whole = {.msg_iov = parts, .msg_iovlen = sent ? 2 : 1};
    sendmsg(cable, &whole, MSG_NOSIGNAL);  // a host that is gone is noticed by link_receive
}

static void forget(struct urb *urb) {
    size_t place = (size_t)(urb - waiting);
    memmove(urb, urb + 1, (--count - place) * sizeof *urb);
}

static void take_back(uint32_t sequence, uint32_t victim) {
    int status = 0;  // it was answered before
    for (size_t i = 0; i < count; i++) {
        if (waiting[i].sequence == victim) {
            listened[waiting[i].endpoint] = false;
            forget(&waiting[i]);
            status = -ECONNRESET;
            break;
        }
    }
    send_answer(unlink_answer, sequence, status, NULL, 0, 0);
}

static bool take_in(const struct message *message) {
    struct urb urb = {
        .sequence = ntohl(message->sequence), .endpoint = (uint8_t)ntohl(message->endpoint) % endpoints,
        .in = ntohl(message->direction), .length = ntohl(message->submit.length)};
    memcpy(urb.setup, message->submit.setup, sizeof urb.setup);
    if (!urb.in && (urb.length > sizeof urb.data || !read_all(urb.data, urb.length))) {
        return false;  // nothing that a host sends to a camera is that long
    }
    if (count == most_waiting) {
        return false;
    }
    listened[urb.endpoint] = true;
    waiting[count++] = urb;
    return true;
}

bool link_receive(void) {
    struct message message;
    bool well = read_all(&message, sizeof message);
    if (well && ntohl(message.command) == unlink_request) {
        take_back(ntohl(message.sequence), ntohl(message.unlinked));
    } else if (well) {
        well = ntohl(message.command) == submit && take_in(&message);
    }
    if (!well) {
        link_unplug();
    }
    return well;
}

struct urb *link_waiting(uint8_t endpoint) {
    for (size_t i = 0; i < count; i++) {
        if (waiting[i].endpoint == endpoint) {
            return &waiting[i];
        }
    }
    return NULL;
}

bool link_listened(uint8_t endpoint) {
    return listened[endpoint];
}

void link_answer(struct urb *urb, int status, const void *data, uint32_t length) {
    uint32_t moved = urb->in ? length : urb->length;
    send_answer(submit_answer, urb->sequence, status, data, moved, urb->in ? length : 0);
    forget(urb);
}
