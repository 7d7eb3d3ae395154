internal import Base

/// Names of pages.
enum PageName {
    /// The first part is random, so that a console that is started anew uses none of its earlier names.
    private static let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    /// The characters of the name that a page gives itself.
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    private static let ownLength = 8
    /// With the name of a console it fits into that of a client.
    private static let maxGivenBytes = 40

    /// The name that begins the ids and gestures of the commands of a page.
    static func make(_ number: Int) -> String { "\(run).\(String(number, radix: 36))" }

    /// The name that a page gives itself, and keeps while it is open: 8 of `a-z` and `0-9`. After it come a
    /// space and the name that a person gave to the page, if it has one.
    ///
    /// - Parameters:
    ///   - asked: a random name instead of one that is missing or has another form.
    ///   - given: the person's, in UTF-8 as hexadecimal digits. What cannot be seen, or is too long, is left
    ///     out.
    static func own(_ asked: String?, given: String? = nil) -> String {
        let isName = asked.map { $0.utf8.count == ownLength && $0.allSatisfy(digits.contains) } ?? false
        let own = isName ? asked : nil
        let given = String(decoding: given.flatMap(Hexadecimal.bytes) ?? [], as: UTF8.self)
        var words = given.onlyPrintable.split(separator: " ").joined(separator: " ")
        while words.utf8.count > maxGivenBytes { words.removeLast() }
        return (own ?? random()) + (words.isEmpty ? "" : " \(words)")
    }

    private static func random() -> String {
        String((0..<ownLength).map { _ in digits[Int.random(in: digits.indices)] })
    }
}
