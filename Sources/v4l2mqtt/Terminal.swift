internal import CLinux
internal import Glibc

/// Says something to the person at the terminal; standard output is for results.
func complain(_ words: String) {
    let line = words + "\n"
    _ = clinux_write_all(STDERR_FILENO, line, line.utf8.count)
}

extension String {
    /// The text without what a terminal would obey: it comes from the bus, where anybody may have written it.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }))
    }
}
