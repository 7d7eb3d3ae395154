internal import Glibc

/// A link as a QR code on a terminal, for the camera of a phone.
enum QRCode {
    /// Draws the code if standard output is a terminal and the program `qrencode` is installed. The link is
    /// passed on standard input: the arguments of a process are visible to other users.
    static func print(_ link: String) {
        guard isatty(STDOUT_FILENO) == 1, let pipe = popen("qrencode -t ANSIUTF8 2>/dev/null", "w") else {
            return
        }
        fputs(link, pipe)
        pclose(pipe)
    }
}
