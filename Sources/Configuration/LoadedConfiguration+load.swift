internal import Base
internal import Glibc
internal import Settings

/// Gives the configuration of the fleet that is kept in a folder, as it was published; nil: there is none.
package typealias FleetSource = (_ stateFolder: String) throws(FleetRefusal) -> [UInt8]?

extension LoadedConfiguration {
    /// Reads all layers: the defaults, then the file, the fleet, the environment and the flags. Later ones
    /// win.
    ///
    /// A configuration of the fleet with which the others cannot be used is left out
    /// (``FleetOutcome/refused(_:)``): the device has to work without its fleet.
    ///
    /// A relative path in the file is relative to the file's folder. One in a variable or a flag is relative
    /// to the working folder. The settings have absolute paths. Files that must be readable (password,
    /// certificates, pictures) are opened, and the password is read.
    ///
    /// - Parameters:
    ///   - file: a YAML file of at most 1 MiB; nil for none.
    ///   - environment: all variables. Those that begin with `V4L2MQTT_` must belong to a key.
    ///   - overrides: paths such as `mqtt.port` or `cameras.0.zoom.max`, and values. A later one wins.
    ///   - hostName: the default of the agent's name, after it was made a valid name.
    ///   - device: has the values of placeholders such as `{serial}`; nil: the host name only.
    ///   - fleet: has the configuration of the fleet.
    ///   - needsCredentials: whether a credential of a service (`/run/credentials/…`) must be readable. If
    ///     not, one that can't be read is a warning, unless this process is a service with credentials
    ///     (`CREDENTIALS_DIRECTORY`). For configurations that are checked and not used.
    /// - Throws: all errors that can be found at once.
    package static func load(
        file: String?, environment: [String: String], overrides: [(String, String)],
        hostName: String = NetworkAddress.hostName, device: DeviceProperties? = nil,
        fleet: FleetSource = { _ in nil }, needsCredentials: Bool = true
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var below = Layers(defaultFolder: Files.stateFolder(of: "v4l2mqtt", environment))
        if let file {
            do throws(FileError) {
                below.add(file: try Files.read(file, atMost: YAMLReader.maximumSize + 1), name: file)
            } catch {
                throw ConfigurationErrors([
                    ConfigurationError(.defaultValue, "", "can't read \(file): \(error.reason)")
                ])
            }
        }
        let needsCredentials = needsCredentials || environment["CREDENTIALS_DIRECTORY"] != nil
        func hostNameOnly(_ property: DeviceProperty, _: String?) throws(MissingProperty) -> String {
            guard property == .hostname else { throw MissingProperty("it is not read here") }
            return hostName
        }
        let device: DeviceProperties = if let device { device } else { hostNameOnly }
        func layers(with fleet: FleetConfiguration?) -> Layers {
            var layers = below
            if let fleet { layers.add(fleet.values) }
            layers.add(environment: environment)
            layers.add(overrides: overrides)
            layers.expand(device)
            return layers
        }
        func load(
            _ layers: Layers, _ fleet: FleetOutcome?
        ) throws(ConfigurationErrors) -> LoadedConfiguration {
            try Self.load(layers, hostName: hostName, needsCredentials: needsCredentials, fleet: fleet)
        }
        let own = layers(with: nil)
        let kept: FleetConfiguration?
        do throws(FleetRefusal) {
            let payload = try fleet(own.stateFolder)
            kept = if let payload { try FleetConfiguration(payload) } else { nil }
        } catch {
            return try load(own, .refused(error))
        }
        guard let kept else { return try load(own, nil) }
        do throws(ConfigurationErrors) {
            return try load(layers(with: kept), .applied(kept))
        } catch {
            // If the device has errors of its own, those are thrown.
            return try load(own, .refused(FleetRefusal(error, version: kept.version)))
        }
    }

    /// The configuration that all layers give together.
    static func load(
        _ layers: Layers, hostName: String, needsCredentials: Bool = true, fleet: FleetOutcome? = nil
    ) throws(ConfigurationErrors) -> LoadedConfiguration {
        var configuration = LoadedConfiguration(layers, hostName: hostName, fleet: fleet)
        var errors = configuration.layers.errors
        let files = configuration.values.compactMap { InputFile($0.key, $0.path, in: configuration.layers) }
        for file in files {
            do throws(FileError) {
                let bytes = try file.read()
                guard file.use == .password else { continue }
                do throws(ConfigurationError) {
                    configuration.settings.mqtt.password = try file.password(bytes)
                } catch {
                    errors.append(error)
                }
            } catch {
                if !needsCredentials, let warning = file.credentialWarning(error) {
                    configuration.warnings.append(warning)
                    configuration.uncheckedFiles.insert(file.path)
                } else {
                    errors.append(file.error("can't read \(file.path): \(error.reason)"))
                }
            }
        }
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        configuration.warnings += files.compactMap { $0.exposure() }
        return configuration
    }
}
