internal import ArgumentParser
internal import FoundationEssentials
internal import Settings
internal import Terminal
internal import V4L2

/// Lists the cameras that are plugged in.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Lists the V4L2 cameras of this machine.",
        discussion: """
            A camera is served by its path, { v4l2: /dev/video0 }, or, whatever its number, by its serial: { serial: NUMBER }.
            """)

    @Flag(help: "Print JSON, not a table.")
    var json = false

    @Flag(
        help: """
            Print all answers of the drivers of all video devices as one JSON document, for a report about a device \
            that does not work.
            """)
    var report = false

    @Flag(help: "With --report: print serial numbers too.")
    var serials = false

    @Flag(help: "Show cameras of libcamera (CSI cameras) as the key libcamera has them served.")
    var libcamera = false

    func validate() throws {
        if serials && !report { throw ValidationError("--serials needs --report.") }
        if json && report { throw ValidationError("--report is JSON already; leave out --json.") }
    }

    func run() throws {
        do throws(LibcameraPreload.Failure) {
            try LibcameraPreload.enter(libcamera ? .installed : .no)
        } catch {
            printError("\(error)")
            throw ExitStatus.usage
        }
        if report {
            let encoder = Self.encoder
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let report = DeviceReport(program: Program.version, withSerials: serials)
            return printLines(of: String(decoding: try encoder.encode(report), as: UTF8.self))
        }
        let devices = DeviceScan.devices()
        if json {
            let text = String(decoding: try Self.encoder.encode(devices.map(Row.init)), as: UTF8.self)
            return printLines(of: text)
        }
        guard !devices.isEmpty else {
            return printLine("No camera is plugged in, or none may be opened by this user.")
        }
        var table = TextTable(["DEVICE", "MODEL", "SERIAL", "BUS", "DRIVER", "NAME"])
        for device in devices {
            table.add([
                device.path, device.model, device.serial, device.bus, device.driver,
                device.name(among: devices),
            ])
        }
        for line in table.lines { printLine(line) }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private struct Row: Encodable {
        let path, model, serial, bus, driver: String
        let links: [String]

        init(_ device: FoundDevice) {
            (path, model, serial) = (device.path, device.model, device.serial)
            (bus, driver, links) = (device.bus, device.driver, device.links)
        }
    }
}
