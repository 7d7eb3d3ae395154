// camerectl NAME WORD…: sends one command to the camera program of this name and prints its answer. Ends with
// 1 when it was refused.

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 3) {
        fputs("usage: camerectl NAME WORD…\n", stderr);
        return 2;
    }
    struct sockaddr_un camera = {.sun_family = AF_UNIX};
    snprintf(camera.sun_path, sizeof camera.sun_path, "/run/camera/%s.socket", words[1]);
    char text[512] = "";
    for (int i = 2; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, i > 2 ? " %s" : "%s", words[i]);
    }
    int connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (connect(connection, (struct sockaddr *)&camera, sizeof camera) || write(connection, text, strlen(text)) < 0) {
        perror(camera.sun_path);
        return 1;
    }
    ssize_t length = read(connection, text, sizeof text - 1);
    if (length <= 0) {
        fputs("the camera program ended\n", stderr);
        return 1;
    }
    text[length] = 0;
    puts(text);
    return strncmp(text, "ok", 2) != 0;
}
