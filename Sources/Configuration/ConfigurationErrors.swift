/// All that is wrong with a configuration, so that a user needn't start the program once for each mistake.
package struct ConfigurationErrors: Error, CustomStringConvertible {
    /// More errors than these aren't told.
    static let limit = 100

    /// Never empty; in the order of the file's lines, then of the variables, then of the flags.
    package let errors: [ConfigurationError]
    private let untold: Int

    init(_ errors: [ConfigurationError]) {
        let sorted = errors.enumerated().sorted {
            ($0.element.origin.rank, $0.offset) < ($1.element.origin.rank, $1.offset)
        }
        self.errors = sorted.prefix(Self.limit).map(\.element)
        untold = errors.count - self.errors.count
    }

    /// A line for each error.
    package var description: String {
        let lines = errors.map(\.description) + (untold > 0 ? ["and \(untold) more"] : [])
        return lines.joined(separator: "\n")
    }
}

extension Origin {
    /// The order in which errors are told.
    fileprivate var rank: Int {
        switch self {
        case .standard: 0
        case .file(_, let line): line
        case .environment: .max - 1
        case .flag: .max
        }
    }
}

/// One thing that is wrong: where, with which key, what was expected and what was found.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    let origin: Origin
    /// The key, e.g. `mqtt.port`; empty when the message names it, or when it is about the file as a whole.
    let path: String
    package let message: String

    init(_ origin: Origin, _ path: String = "", _ message: String) {
        self.origin = origin
        self.path = path
        self.message = message
    }

    /// For instance `porch.yaml:12: mqtt.port: expected a whole number from 1 to 65535, found "abc"`.
    package var description: String { origin.introduction(to: path) + message }
}
