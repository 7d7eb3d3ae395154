import TestSupport

@testable import Configuration

/// Loads a file with this text. The outcome's errors have the file's name without its folder.
func load(
    _ yaml: String? = nil, environment: [String: String] = [:], flags: [(String, String)] = [],
    in folder: TemporaryFolder = TemporaryFolder(), needsCredentials: Bool = true
) -> Result<LoadedConfiguration, Refused> {
    do throws(ConfigurationErrors) {
        let file = yaml.map { folder.write($0, to: "porch.yaml") }
        return .success(
            try LoadedConfiguration.load(
                file: file, environment: environment, overrides: flags, hostName: "test",
                needsCredentials: needsCredentials))
    } catch {
        return .failure(
            Refused(lines: error.errors.map { $0.description.replacing(folder.path + "/", with: "") }))
    }
}

struct Refused: Error {
    let lines: [String]
}

extension Result where Failure == Refused {
    var lines: [String] {
        guard case .failure(let refused) = self else { return [] }
        return refused.lines
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        var result = self[...]
        var parts = ""
        while let range = result.firstRange(of: part) {
            parts += result[..<range.lowerBound] + other
            result = result[range.upperBound...]
        }
        return parts + result
    }
}

extension LoadedConfiguration {
    /// All errors in the text of a file by itself. Pure and bounded, whatever the bytes are.
    static func problems(in bytes: [UInt8], name: String) -> [ConfigurationError] {
        var layers = Layers()
        layers.add(file: bytes, name: name)
        return ConfigurationErrors(LoadedConfiguration(layers).layers.errors).errors
    }
}
