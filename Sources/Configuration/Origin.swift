/// Where a value was said. Later ones win: the standard, the file, the environment, the flags.
enum Origin: Sendable, Equatable {
    /// Nobody said it: the key's default.
    case standard
    /// A line of the configuration file; the file as the user named it, lines from 1.
    case file(String, line: Int)
    /// An environment variable, by its name.
    case environment(String)
    /// A flag, by the path of its key.
    case flag(String)
}

extension Origin: CustomStringConvertible {
    var description: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .environment(let name): "environment variable \(name)"
        case .flag(let path): "--set \(path)"
        }
    }

    /// How a message about the key at `path` begins. Variables and flags name their key already.
    func introduction(to path: String) -> String {
        switch self {
        case .standard: path.isEmpty ? "" : "\(path): "
        case .file: path.isEmpty ? "\(self): " : "\(self): \(path): "
        case .environment, .flag: "\(self): "
        }
    }
}
