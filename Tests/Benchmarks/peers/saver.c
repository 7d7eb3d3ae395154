// saver FOLDER INTERVAL_MS BYTES: keeps a disk busy as a state store does: writes a file, syncs it, renames
// it into place, syncs the folder, rests, and begins anew, until SIGTERM. Prints how many files it has saved.
#include "peer.h"

#include <fcntl.h>

int main(int count, char **arguments) {
    if (count != 4) die("usage", "saver FOLDER INTERVAL_MS BYTES");
    long interval = number(arguments[2], "INTERVAL_MS", 1, 10000);
    long bytes = number(arguments[3], "BYTES", 1, 1 << 20);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    alarm(longest_life);
    struct sigaction action = {.sa_handler = end_signal};
    sigaction(SIGTERM, &action, NULL);

    if (chdir(arguments[1]) != 0) die(arguments[1], strerror(errno));
    int folder = open(".", O_RDONLY | O_DIRECTORY);
    char *content = malloc((size_t)bytes);
    if (folder < 0 || !content) die(arguments[1], strerror(errno));
    memset(content, 'x', (size_t)bytes);

    long saved = 0;
    for (; !told_to_end; saved++) {
        int file = open("busy.new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file < 0) die("open", strerror(errno));
        if (write(file, content, (size_t)bytes) != bytes) die("write", strerror(errno));
        if (fsync(file) != 0 || close(file) != 0) die("fsync", strerror(errno));
        if (rename("busy.new", "busy") != 0) die("rename", strerror(errno));
        if (fsync(folder) != 0) die("fsync", strerror(errno));
        poll(NULL, 0, (int)interval);
    }
    printf("%ld\n", saved);
    return fflush(stdout) == 0 ? 0 : 1;
}
