/// Names of pages.
enum PageName {
    /// The first part is random, so that a console that is started anew uses none of its earlier names.
    private static let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    /// The characters of the name that a page gives itself.
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    private static let ownLength = 8

    /// The name that begins the ids and gestures of the commands of a page.
    static func make(_ number: Int) -> String { "\(run).\(String(number, radix: 36))" }

    /// The name that a page gives itself, and keeps while it is open: 8 of `a-z` and `0-9`.
    ///
    /// - Parameter asked: a random name instead of one that is missing or has another form.
    static func own(_ asked: String?) -> String {
        if let asked, asked.utf8.count == ownLength, asked.allSatisfy(digits.contains) { return asked }
        return String((0..<ownLength).map { _ in digits[Int.random(in: digits.indices)] })
    }
}
