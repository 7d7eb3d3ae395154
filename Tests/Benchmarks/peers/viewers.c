// viewers PORT LISTEN TOPIC: sends each message of a topic to all TCP connections that it has accepted, with
// the head of a WebSocket message before it: the least that a server of pictures can do. It reads nothing.
// Prints `ready` when it listens.
#include "peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { most = 64 };

static int viewers[most], count;

static void on_message(struct mosquitto *bus, void *context, const struct mosquitto_message *message) {
    (void)bus, (void)context;
    unsigned char head[10] = {0x82, 127};
    for (int index = 0; index < 8; index++) head[9 - index] = (unsigned char)((uint64_t)message->payloadlen >> (8 * index));
    for (int index = 0; index < count; index++) {
        struct iovec parts[] = {{head, sizeof head}, {message->payload, (size_t)message->payloadlen}};
        if (writev(viewers[index], parts, 2) < 0) die("writev", "a viewer does not read");
    }
}

int main(int arguments_count, char **arguments) {
    if (arguments_count != 4) die("usage", "viewers PORT LISTEN TOPIC");
    struct mosquitto *bus = connect_to_broker(number(arguments[1], "PORT", 1, 65535), on_message);
    subscribe_to(bus, arguments[3], 0);
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number(arguments[2], "LISTEN", 1, 65535))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, most)) die("listen", arguments[2]);
    fcntl(listener, F_SETFL, O_NONBLOCK);
    puts("ready");
    fflush(stdout);
    while (!told_to_end) {
        int viewer = count < most ? accept(listener, NULL, NULL) : -1;
        if (viewer >= 0) viewers[count++] = viewer;
        step(bus, 100);
    }
    return 0;
}
