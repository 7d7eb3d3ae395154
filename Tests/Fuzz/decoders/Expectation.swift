import Synchronization

/// What did not hold while a decoder read one input.
package final class Objections: Sendable {
    @TaskLocal fileprivate static var current: Objections?
    private let collected = Mutex<[String]>([])

    /// What the decoder's check objects to. What it cannot go on from ends the process.
    package static func of(_ check: ([UInt8]) -> Void, _ input: [UInt8]) -> [String] {
        let objections = Objections()
        $current.withValue(objections) { check(input) }
        return objections.collected.withLock(\.self)
    }

    fileprivate func add(_ text: String) { collected.withLock { $0.append(text) } }
}

/// Notes what must hold and does not. While it fuzzes, that ends the process, and libFuzzer keeps the input.
///
/// Not `precondition`: an optimised build drops its message.
func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
    guard !holds else { return }
    guard let objections = Objections.current else { fatalError(otherwise()) }
    objections.add(otherwise())
}
