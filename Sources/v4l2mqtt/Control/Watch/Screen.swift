internal import CLinux
internal import Glibc

/// The terminal as one page that is drawn again and again. What ``enter()`` changes about the terminal, ``leave()`` puts back: its modes,
/// its cursor, and what was on it, which the terminal keeps for us (the alternate screen of xterm).
final class Screen {
    private static let home = "\u{1B}[H"
    private static let clearToEndOfLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"

    /// The modes as they were; nil where they weren't changed.
    private var modes: termios?
    private var isOpen = false

    /// Whether standard output is a terminal that can do this.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false
    }

    /// Whether colours are wanted: not with NO_COLOR in the environment (no-color.org).
    static var hasColours: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

    /// Whether the terminal is ours at the moment, not another job's.
    static var isOurs: Bool { tcgetpgrp(STDOUT_FILENO) == getpgrp() }

    /// Whether keys can be read: standard input is a terminal, and it is ours at the moment.
    static var hasKeys: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    func enter() {
        guard !isOpen else { return }
        isOpen = true
        var asItIs = termios()
        if Self.hasKeys, tcgetattr(STDIN_FILENO, &asItIs) == 0 {
            modes = asItIs
            // Keys come one by one and aren't shown; Ctrl-C and Ctrl-Z are signals as ever.
            asItIs.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &asItIs)
        }
        put("\u{1B}[?1049h\u{1B}[?25l")
    }

    func leave() {
        guard isOpen else { return }
        isOpen = false
        put("\u{1B}[?25h\u{1B}[?1049l")
        if var modes { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) }
        modes = nil
    }

    /// Columns and rows; as a terminal of old, where it doesn't say.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows lines, none of which may be longer than the terminal is wide; there may be at most as many as it has rows.
    func show(_ lines: [String]) {
        guard isOpen else { return }
        let page = lines.map { $0 + Self.clearToEndOfLine }.joined(separator: "\r\n")
        put(Self.home + page + Self.clearBelow)
    }

    private func put(_ text: String) {
        _ = clinux_write_all(STDOUT_FILENO, text, text.utf8.count)
    }

    deinit { leave() }
}
