/// Where a value was set. Later ones win: the default, the file, the fleet, the environment, the flags.
enum ValueOrigin: Sendable, Equatable {
    /// The key's default.
    case defaultValue
    /// A line of the configuration file; the file as the user named it, lines from 1.
    case file(String, line: Int)
    /// The configuration of the fleet, by its version.
    case fleet(version: Int)
    /// An environment variable, by its name.
    case environment(String)
    /// A flag, by the path of its key.
    case flag(String)
}

extension ValueOrigin {
    /// The number of the layer. Higher ones win.
    var layer: Int {
        switch self {
        case .defaultValue: 0
        case .file: 1
        case .fleet: 2
        case .environment: 3
        case .flag: 4
        }
    }
}

extension ValueOrigin: CustomStringConvertible {
    var description: String {
        switch self {
        case .defaultValue: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .fleet(let version): "fleet/config version \(version)"
        case .environment(let name): "environment variable \(name)"
        case .flag(let path): "--set \(path)"
        }
    }

    /// The beginning of a message about the key at `path`. Variables and flags name their key themselves.
    func introduction(to path: String) -> String {
        switch self {
        case .defaultValue: path.isEmpty ? "" : "\(path): "
        case .file, .fleet: path.isEmpty ? "\(self): " : "\(self): \(path): "
        case .environment, .flag: "\(self): "
        }
    }
}
