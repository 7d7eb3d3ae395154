internal import CLinux
internal import Glibc

/// The terminal as one page that is redrawn as a whole.
///
/// ``enter()`` changes the terminal's modes, its cursor and its contents (xterm's alternate screen);
/// ``leave()`` restores them.
package final class Screen {
    private static let home = "\u{1B}[H"
    private static let clearToEndOfLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"

    /// The terminal's original modes; nil if they were not changed.
    private var modes: termios?
    private var isOpen = false

    package init() {}

    /// Whether standard output is a terminal that supports cursor control.
    package static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false
    }

    /// Whether colours are allowed: false if NO_COLOR is set and not empty (no-color.org).
    package static var hasColours: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

    /// Whether this process group is the terminal's foreground job.
    package static var isForeground: Bool { tcgetpgrp(STDOUT_FILENO) == getpgrp() }

    /// Whether keys can be read: standard input is a terminal, and this process group is its foreground job.
    package static var hasKeys: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    package func enter() {
        guard !isOpen else { return }
        isOpen = true
        var changed = termios()
        if Self.hasKeys, tcgetattr(STDIN_FILENO, &changed) == 0 {
            modes = changed
            // Each key is read immediately and not echoed. Ctrl-C and Ctrl-Z still raise signals.
            changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &changed)
        }
        put("\u{1B}[?1049h\u{1B}[?25l")
    }

    package func leave() {
        guard isOpen else { return }
        isOpen = false
        put("\u{1B}[?25h\u{1B}[?1049l")
        if var modes { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) }
        modes = nil
    }

    /// Columns and rows; 80 and 24 if the terminal does not report them.
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws lines, cut to this number of columns. There may be at most as many as the terminal has rows.
    package func show(_ lines: [ScreenLine], columns: Int, hasColours: Bool) {
        guard isOpen else { return }
        let page = lines.map {
            $0.text(columns: columns, hasColours: hasColours) + Self.clearToEndOfLine
        }.joined(separator: "\r\n")
        put(Self.home + page + Self.clearBelow)
    }

    private func put(_ text: String) {
        _ = clinux_write_all(STDOUT_FILENO, text, text.utf8.count)
    }

    deinit { leave() }
}
