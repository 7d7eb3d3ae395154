internal import Glibc
internal import Settings

extension LoadedConfiguration {
    /// Reads all layers: the defaults, then the file, the environment and the flags. Later ones win.
    ///
    /// A relative path in the file is relative to the file's folder. One in a variable or a flag is relative
    /// to the working folder. Files that must be readable (password, certificates, pictures) are opened, and
    /// the password is read.
    ///
    /// - Parameters:
    ///   - file: a YAML file of at most 1 MiB; nil for none.
    ///   - environment: all variables. Those that begin with `V4L2MQTT_` must belong to a key.
    ///   - overrides: paths such as `mqtt.port` or `cameras.0.zoom.max`, and values. A later one wins.
    ///   - hostName: the default of the agent's name, after it was made a valid name.
    ///   - device: has the values of placeholders such as `{serial}`.
    ///   - needsCredentials: whether a credential of a service (`/run/credentials/…`) must be readable. If
    ///     not, one that can't be read is a warning, unless this process is a service with credentials
    ///     (`CREDENTIALS_DIRECTORY`). For configurations that are checked and not used.
    /// - Throws: all errors that can be found at once.
    package static func load(
        file: String?, environment: [String: String], overrides: [(String, String)],
        hostName: String = systemHostName(), device: inout some DeviceProperties,
        needsCredentials: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var layers = Layers()
        if let file {
            switch FileReading.read(file, limit: YAMLReader.maximumSize + 1) {
            case .success(let bytes):
                layers.add(file: bytes, name: file)
            case .failure(let failure):
                throw ConfigurationErrors([
                    ConfigurationError(.defaultValue, "", "can't read \(file): \(failure)")
                ])
            }
        }
        layers.add(environment: environment)
        layers.add(overrides: overrides)
        layers.expand(&device)
        return try load(
            layers, hostName: hostName,
            needsCredentials: needsCredentials || environment["CREDENTIALS_DIRECTORY"] != nil)
    }

    /// The same for a device with a host name only.
    package static func load(
        file: String?, environment: [String: String], overrides: [(String, String)],
        hostName: String = systemHostName(), needsCredentials: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var device = NamedDevice(hostName: hostName)
        return try load(
            file: file, environment: environment, overrides: overrides, hostName: hostName, device: &device,
            needsCredentials: needsCredentials)
    }

    /// The configuration that all layers give together.
    static func load(
        _ layers: Layers, hostName: String, needsCredentials: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var builder = Builder(layers)
        let configuration = builder.configuration(hostName: hostName)
        var settings = configuration.settings
        var errors = builder.layers.errors
        var warnings = configuration.warnings
        var uncheckedFiles: Set<String> = []
        for file in builder.files {
            if !needsCredentials, let warning = file.credentialWarning() {
                warnings.append(warning)
                uncheckedFiles.insert(file.path)
                continue
            }
            switch file.use {
            case .readable, .key: file.problem().map { errors.append($0) }
            case .password:
                switch file.password() {
                case .success(let password): settings.mqtt.password = password
                case .failure(let error): errors.append(error)
                }
            }
        }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        return LoadedConfiguration(
            settings: settings, values: configuration.values,
            warnings: warnings + builder.files.compactMap { $0.exposure() }, uncheckedFiles: uncheckedFiles)
    }

    /// All errors in the text of a file by itself. Pure and bounded, whatever the bytes are.
    package static func problems(in bytes: [UInt8], name: String) -> [ConfigurationError] {
        var layers = Layers()
        layers.add(file: bytes, name: name)
        var builder = Builder(layers)
        _ = builder.configuration(hostName: "")
        return ConfigurationErrors(builder.layers.errors).errors
    }

    /// The machine's name. Empty if it has none.
    package static func systemHostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
