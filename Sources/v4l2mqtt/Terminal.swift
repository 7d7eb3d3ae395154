internal import CLinux
internal import Glibc
internal import Messages

/// Says something to the person at the terminal; standard output is for results.
func complain(_ words: String) {
    let line = words + "\n"
    _ = clinux_write_all(STDERR_FILENO, line, line.utf8.count)
}

/// Prints a line of a result. When nobody reads it any more, as after `head`, that is our end, as it is other programs'.
func say(_ words: String) { say(Array((words + "\n").utf8)) }

/// The same of what isn't text.
func say(_ bytes: [UInt8]) {
    let code = clinux_write_all(STDOUT_FILENO, bytes, bytes.count)
    if code == -EPIPE { endAtClosedPipe() }
    if code < 0 {
        complain("standard output: \(String(cString: strerror(-code)))")
        exit(EXIT_FAILURE)
    }
}

/// Prints a result for programs: a line of JSON.
func say(json value: some Encodable) { say(String(decoding: JSON.bytes(value), as: UTF8.self)) }

/// Ends as whoever writes to a pipe that nobody reads. libmosquitto has the signal ignored, for its sockets' sake.
func endAtClosedPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
}

extension String {
    /// The text without what a terminal would obey: it comes from the bus, where anybody may have written it.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }))
    }
}

extension CommandError {
    /// As a person is told of it.
    var words: String { "\(code.rawValue): \(message.printable)" }
}
