internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Configuration
internal import FoundationEssentials

/// The layers of the configuration: flags win over the environment, the environment over the fleet's
/// configuration, and that over the file.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The configuration file (YAML). Without one, the defaults: every camera that is plugged in.")
    var config: String?

    @Option(help: "The agent's name in its topics (agent).")
    var agent: String?

    @Option(help: "The broker's host (mqtt.host).")
    var host: String?

    @Option(help: "The broker's port (mqtt.port).")
    var port: String?

    @Option(help: "The file for the state (state_file).")
    var stateFile: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any key of the configuration; can be given more than once.",
            discussion: "For instance --set mqtt.protocol=3.1.1 --set cameras.0.zoom.max=4.",
            valueName: "key=value"))
    var settings: [String] = []

    /// Loads all layers. Prints their errors and ends the program if there are any.
    ///
    /// - Parameters:
    ///   - withImages: whether images are checked too. It takes time, and a start reads them anyway.
    ///   - forCheck: whether the configuration is only shown: files that systemd makes for a service need not
    ///     be readable.
    func load(withImages: Bool = false, forCheck: Bool = false) throws -> LoadedConfiguration {
        do {
            return try checked(withImages: withImages, forCheck: forCheck)
        } catch let error as ConfigurationErrors {
            printErrors(of: "\(error)")
            throw ExitStatus.usage
        }
    }

    /// Loads all layers and checks the files that they name.
    ///
    /// - Parameter fleet: the configuration of the fleet in place of the one that the device keeps; nil: that
    ///   one.
    /// - Throws: `ConfigurationErrors`, or `ValidationError` for a flag that names no key.
    func checked(
        withImages: Bool, forCheck: Bool = false, fleet: FleetConfiguration? = nil
    ) throws -> LoadedConfiguration {
        let named = [
            ("agent", agent), ("mqtt.host", host), ("mqtt.port", port), ("state_file", stateFile),
        ]
        var overrides = named.compactMap { key, value in value.map { (key, $0) } }
        for setting in settings {
            guard let equals = setting.firstIndex(of: "=") else {
                throw ValidationError(
                    "--set expects key=value, as in --set mqtt.port=1884; found \"\(setting)\".")
            }
            overrides.append((String(setting[..<equals]), String(setting[setting.index(after: equals)...])))
        }
        var configuration = try LoadedConfiguration.load(
            file: config, environment: ProcessInfo.processInfo.environment, overrides: overrides,
            device: MachineProperties.value,
            fleet: { folder throws(FleetRefusal) in
                if let fleet { return fleet.payload }
                return try FleetFile.read(in: folder)
            },
            needsCredentials: !forCheck)
        for (key, message) in try configuration.checkCertificates() {
            configuration.warn(about: key, message)
        }
        try configuration.checkLibcamera()
        if withImages { try configuration.checkImages() }
        return configuration
    }
}
