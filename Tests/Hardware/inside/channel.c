// The command server of the guest: runs shell commands that come by TCP, and is the guest's first process.
//
// One connection is one command: the host sends it with a NUL at its end and gets what it prints, both
// streams as they come, and after that a NUL and the exit status in decimal. A connection that ends without
// the two was lost, and the command with it. A host that hangs up first has timed out: the command and
// its children are killed.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { longest_command = 1 << 16 };

/// Returns false when the host hung up before the command's NUL.
static int read_command(int connection, char *command) {
    for (size_t length = 0; length < longest_command;) {
        ssize_t got = read(connection, command + length, longest_command - length);
        if (got <= 0) {
            return 0;
        }
        length += (size_t)got;
        if (command[length - 1] == 0) {
            return 1;
        }
    }
    return 0;
}

static pid_t start_shell(int connection, const char *command) {
    pid_t shell = fork();
    if (shell == 0) {
        signal(SIGPIPE, SIG_DFL);
        setsid();  // a group of its own, to be killed as one
        dup2(connection, STDOUT_FILENO);
        dup2(connection, STDERR_FILENO);
        close(connection);
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    return shell;
}

static void serve(int connection) {
    static char command[longest_command];
    if (!read_command(connection, command)) {
        return;
    }
    pid_t shell = start_shell(connection, command);
    struct pollfd either[] = {
        {.fd = (int)syscall(SYS_pidfd_open, shell, 0), .events = POLLIN},
        {.fd = connection, .events = POLLRDHUP},
    };
    while (poll(either, 2, -1) < 0) {
    }
    if (!either[0].revents) {
        kill(-shell, SIGKILL);
    }
    int status = 0;
    waitpid(shell, &status, 0);
    dprintf(connection, "%c%d", 0, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    shutdown(connection, SHUT_RDWR);  // a child of the command may hold the connection still
}

int main(int count, char **arguments) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in everywhere = {.sin_family = AF_INET, .sin_port = htons(count > 1 ? (uint16_t)atoi(arguments[1]) : 0)};
    if (bind(listener, (struct sockaddr *)&everywhere, sizeof everywhere) || listen(listener, 64)) {
        perror("channel");
        return 1;
    }
    puts("channel: ready");
    fflush(stdout);
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection >= 0 && fork() == 0) {
            signal(SIGPIPE, SIG_IGN);
            setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            serve(connection);
            return 0;
        }
        close(connection);
        while (waitpid(-1, NULL, WNOHANG) > 0) {  // orphans come to the first process
        }
    }
}
