/// All errors of a configuration together, so that a user can correct them at once.
package struct ConfigurationErrors: Error, CustomStringConvertible {
    /// The largest number of errors that are listed.
    static let limit = 100

    /// Never empty. In the order of the file's lines, then those of the fleet's values, the variables and
    /// the flags.
    let errors: [ConfigurationError]
    private let unlisted: Int

    init(_ errors: [ConfigurationError]) {
        let sorted = errors.enumerated().sorted {
            ($0.element.origin.layer, $0.element.line, $0.offset)
                < ($1.element.origin.layer, $1.element.line, $1.offset)
        }
        self.errors = sorted.prefix(Self.limit).map(\.element)
        unlisted = errors.count - self.errors.count
    }

    /// A line for each error.
    package var description: String {
        let lines = errors.map(\.description) + (unlisted > 0 ? ["and \(unlisted) more"] : [])
        return lines.joined(separator: "\n")
    }
}

/// One error: its place, its key, the expected and the found value.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let origin: ValueOrigin
    /// The key, e.g. `mqtt.port`; empty when the message names it, or when it is about the file as a whole.
    let path: String
    let message: String

    init(_ origin: ValueOrigin, _ path: String = "", _ message: String) {
        (self.origin, self.path, self.message) = (origin, path, message)
    }

    /// In the file; 0 in another layer.
    fileprivate var line: Int { if case .file(_, let line) = origin { line } else { 0 } }

    /// For instance `porch.yaml:12: mqtt.port: expected a whole number from 1 to 65535, found "abc"`.
    var description: String { origin.introduction(to: path) + message }
}
