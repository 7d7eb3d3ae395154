extension String {
    /// Without the blanks at the end.
    var trimmedEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Double {
    /// The number without a fraction if it is an integer, otherwise rounded to a thousandth.
    package var roundedText: String {
        guard isFinite, abs(self) < 1e15 else { return "\(self)" }
        let rounded = (self * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
