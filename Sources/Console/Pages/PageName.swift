/// Names of pages, which begin the ids and gestures of their commands.
enum PageName {
    /// The first part is random, so that a console that is started anew uses none of its earlier names.
    private static let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    static func make(_ number: Int) -> String { "\(run).\(String(number, radix: 36))" }
}
