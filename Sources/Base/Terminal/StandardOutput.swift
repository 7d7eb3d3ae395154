internal import CLinux
internal import Glibc

/// Prints a line to standard error. Standard output is for results.
package func printError(_ line: PrintableLine) {
    let text = line.text + "\n"
    _ = clinux_write_all(STDERR_FILENO, text, text.utf8.count)
}

/// Prints each line of a text to standard error.
package func printErrors(of text: String) {
    for line in PrintableLine.lines(of: text) { printError(line) }
}

/// Prints a line of a result to standard output.
///
/// Does not return when the line can't be written: after `EPIPE` (as with `| head`) the process ends by
/// SIGPIPE as other programs do, after any other error with exit code 1.
package func printLine(_ line: PrintableLine) { printBytes(Array((line.text + "\n").utf8)) }

/// Prints each line of a text to standard output. Errors are handled as in ``printLine(_:)``.
package func printLines(of text: String) {
    printBytes(PrintableLine.lines(of: text).flatMap { Array(($0.text + "\n").utf8) })
}

/// Replaces the line of the terminal that the cursor is in, without moving to the next.
package func replaceLine(by line: PrintableLine) {
    printBytes(Array("\r\u{1B}[K\(line.text)".utf8))
}

/// Writes bytes to standard output as they are. Errors are handled as in ``printLine(_:)``.
package func printBytes(_ bytes: [UInt8]) {
    let code = clinux_write_all(STDOUT_FILENO, bytes, bytes.count)
    if code == -EPIPE { endByBrokenPipe() }
    if code < 0 {
        printError("standard output: \(String(cString: strerror(-code)))")
        exit(EXIT_FAILURE)
    }
}

/// Ends the process by SIGPIPE. libmosquitto sets the signal to be ignored, so the default action is restored
/// first.
package func endByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
}
