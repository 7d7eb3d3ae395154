internal import Glibc

extension Configuration {
    /// Reads all layers: the defaults, under the file, under the environment, under the flags.
    ///
    /// A relative path that the file says is relative to the file's folder; one from a variable or a flag, to
    /// the working folder. Files that must be there (password, certificates, pictures) are looked at, the
    /// password is read.
    ///
    /// - Parameters:
    ///   - file: a YAML file of at most 1 MiB; nil for none.
    ///   - environment: all variables; those that begin with `V4L2MQTT_` must be a key's.
    ///   - overrides: paths such as `mqtt.port` or `cameras.0.zoom.max`, and values; a later one wins.
    ///   - hostName: what the agent is called by default, after it was made a valid name.
    /// - Throws: all errors that can be told at once.
    package static func load(
        file: String?, environment: [String: String], overrides: [(String, String)],
        hostName: String = systemHostName()
    ) throws(ConfigurationErrors) -> Configuration {
        var layers = Layers()
        if let file {
            switch FileReading.read(file, limit: YAMLReader.maximumSize + 1) {
            case .success(let bytes):
                layers.add(file: bytes, name: file)
            case .failure(let failure):
                throw ConfigurationErrors([
                    ConfigurationError(.standard, "", "can't read \(file): \(failure)")
                ])
            }
        }
        layers.add(environment: environment)
        layers.add(overrides: overrides)
        var assembly = Assembly(layers)
        var configuration = assembly.configuration(hostName: hostName)
        var errors = assembly.layers.errors
        for file in assembly.files {
            guard file.key.path == Keys.passwordFile.path else {
                if let problem = file.problem() { errors.append(problem) }
                continue
            }
            switch file.secret() {
            case .success(let secret): configuration.mqtt.password = secret
            case .failure(let error): errors.append(error)
            }
        }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        return configuration
    }

    /// All that is wrong with the text of a file by itself. Pure and bounded, whatever the bytes are.
    package static func problems(in bytes: [UInt8], name: String) -> [ConfigurationError] {
        var layers = Layers()
        layers.add(file: bytes, name: name)
        var assembly = Assembly(layers)
        _ = assembly.configuration(hostName: "")
        return ConfigurationErrors(assembly.layers.errors).errors
    }

    /// The machine's name; empty when it has none.
    package static func systemHostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
