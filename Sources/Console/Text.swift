extension String {
    /// The text without control characters (C0, DEL, C1). Text from the bus can contain escape sequences that
    /// a terminal would execute.
    package var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }))
    }

    /// Padded with blanks at the end to this number of characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Without the blanks at the end.
    var trimmedEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Double {
    /// The number without a fraction if it is an integer, otherwise rounded to a thousandth.
    package var plainText: String {
        guard isFinite, abs(self) < 1e15 else { return "\(self)" }
        let rounded = (self * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
