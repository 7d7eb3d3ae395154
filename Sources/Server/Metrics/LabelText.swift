/// Texts of messages as values of labels.
enum LabelText {
    /// In bytes.
    private static let maxBytes = 128

    /// The text; empty, if there is none or it is too long: each value makes a series of its own, which
    /// Prometheus keeps for weeks.
    static func of(_ text: String?) -> String {
        text.flatMap { $0.utf8.count <= maxBytes ? $0 : nil } ?? ""
    }
}
