internal import Agent
internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Cameras
internal import Configuration
internal import Contract
internal import Glibc
internal import Settings

/// Lists the cameras that are plugged in.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists the V4L2 cameras of this machine.",
        discussion: """
            A camera is served by its path, { v4l2: /dev/video0 }, whatever its number by its serial, { serial: NUMBER }, \
            or by properties: { kind: wide, position: back }. For each entry of each configured camera the second \
            table has the devices that match it, and the one that the camera would use if all cameras started now.
            """)

    @Flag(help: "Print JSON, not a table.")
    var json = false

    @Flag(help: "Show cameras of libcamera (CSI cameras), also without the key libcamera.")
    var libcamera = false
    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let settings = try configuredSettings()
        do throws(LibcameraPreload.Failure) {
            let configured = settings?.libcamera ?? .no
            try LibcameraPreload.enter(libcamera && configured == .no ? .installed : configured)
        } catch {
            printError("\(error)")
            throw ExitStatus.usage
        }
        let devices = SharedDevices(settings ?? .standard).scan()
        let matches = settings.map { DeviceMatches(of: $0, among: devices) }
        if json { return printLines(of: JSON.list(devices.map { Self.row(of: $0, matches) }).indented) }
        for line in devices.isEmpty ? [] : Self.table(of: devices) { printLine(line) }
        if devices.isEmpty { printLine("No camera is plugged in, or none may be opened by this user.") }
        guard let lines = matches?.lines, !lines.isEmpty else { return }
        printLine("")
        for line in lines { printLine(line) }
    }

    /// Where the service has its configuration.
    private static let usualFile = "/etc/v4l2mqtt/config.yaml"

    /// Nil: there is none, or the usual one cannot be used, which is no error of this command.
    private func configuredSettings() throws -> AgentSettings? {
        if options.config != nil || !options.settings.isEmpty {
            return try options.load(forCheck: true).settings
        }
        guard access(Self.usualFile, R_OK) == 0 else { return nil }
        var options = options
        options.config = Self.usualFile
        do { return try options.checked(withImages: false, forCheck: true).settings } catch {
            printError(
                "\(Self.usualFile) has errors, so the cameras in it are not shown: see v4l2mqtt check.")
            return nil
        }
    }

    private static func table(of devices: [FoundDevice]) -> [PrintableLine] {
        let hasProperties = devices.contains { $0.kind != nil || $0.position != nil }
        var table = TextTable(
            ["DEVICE", "MODEL", "SERIAL", "BUS", "DRIVER", "NAME"]
                + (hasProperties ? ["KIND", "POSITION"] : []))
        for device in devices {
            let properties = [device.kind?.rawValue ?? "", device.position?.rawValue ?? ""]
            table.add(
                [
                    device.path, device.model, device.serial, device.bus, device.driver,
                    device.name(among: devices),
                ] + (hasProperties ? properties : []))
        }
        return table.lines
    }

    /// - Parameter matches: nil: without a configuration.
    private static func row(of device: FoundDevice, _ matches: DeviceMatches?) -> JSON {
        let entries = matches?.entries.filter { $0.devices.contains(device) }.map { entry in
            JSON.object([
                "camera": .text(entry.camera), "entry": .integer(entry.index),
                "used": .flag(entry.used == device.path),
            ])
        }
        return .object([
            "path": .text(device.path), "model": .text(device.model), "serial": .text(device.serial),
            "bus": .text(device.bus), "driver": .text(device.driver),
            "links": .list(device.links.map { .text($0) }), "kind": device.kind.map { .text($0.rawValue) },
            "position": device.position.map { .text($0.rawValue) },
            "sensor_rotation": device.sensorRotation.map(JSON.integer), "matches": entries.map(JSON.list),
        ])
    }
}
