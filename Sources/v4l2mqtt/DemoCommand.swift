internal import Agent
internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import Configuration
internal import Ctl
internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import Settings

/// Shows the agent with its own broker and a simulated camera.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "Starts a broker of its own on loopback, a simulated camera and the page, and shows the zoom live.",
        discussion:
            "Needs the program mosquitto. Ctrl-C ends it and deletes its files, unless --keep is given."
    )

    @Option(help: "The JPEG that the camera shows; without it, a generated scene.")
    var image: String?

    @Option(help: "The port of the demo's broker; without it, a free one.")
    var port: Int?

    @Option(help: "Keep state and photos in this folder; without it, they are deleted at the end.")
    var keep: String?

    @Flag(help: "Show the page in the network too, for a phone: prints a link with a token, and its QR code.")
    var phone = false

    func run() throws {
        let folder = try DemoFolder(keep: keep)
        defer { folder.remove() }
        let port = try self.port ?? Broker.freePort()
        var overrides = [
            ("agent", "demo"), ("mqtt.host", "127.0.0.1"), ("mqtt.port", "\(port)"),
            ("state_file", "\(folder.path)/state.json"), ("captures.directory", "\(folder.path)/captures"),
            ("recordings.directory", "\(folder.path)/recordings"),
            ("cameras.0.id", "camera"), ("cameras.0.simulated.scene", "garden"), ("log.level", "warning"),
        ]
        if let image { overrides.append(("cameras.0.image", image)) }
        let settings: AgentSettings
        do {
            // The variables of the environment are meant for real agents, not for the demo.
            let configuration = try LoadedConfiguration.load(
                file: nil, environment: [:], overrides: overrides)
            settings = configuration.settings
        } catch {
            printErrors(of: "\(error)")
            throw ExitStatus.usage
        }
        let broker = try Broker(port: port, folder: folder.path)
        defer { broker.end() }
        let console = try DemoConsole(broker: port, folder: folder.path, forPhone: phone)
        defer { console?.end() }
        let service = AgentService(
            settings, SharedDevices(settings), version: programVersion,
            logger: Logger(label: "v4l2mqtt", settings.log),
            // Files that are deleted at the end need not reach the disk: a slow one would fail the end.
            storage: keep == nil ? .memory : .file)
        let view = ZoomLine(base: "v4l2mqtt")
        var viewerSettings = MQTTSettings.standard
        (viewerSettings.port, viewerSettings.clientID) = (port, "v4l2mqtt-demo-view")
        let viewer = try MQTTBus(
            BusSettings(viewerSettings),
            filters: ["zoom", "zoom/live"].map {
                BusFilter("v4l2mqtt/demo/camera/\($0)", .includingRetained)
            },
            on: service.loop)
        viewer.received = { view.update(with: $0) }
        service.whenOnline = { [viewer] in
            Self.printInstructions(port: port, folder: folder.path)
            console?.printAddress()
            viewer.start()
        }
        try service.runAsProgram()
        view.end()
    }

    private static func printInstructions(port: Int, folder: String) {
        printLines(
            of: """
                A simulated camera is on the bus: 127.0.0.1:\(port), topics v4l2mqtt/demo/camera/…
                Photos go to \(folder)/captures/camera. Ctrl-C ends the demo.

                Try, in another terminal:
                  mosquitto_pub -p \(port) -t v4l2mqtt/demo/camera/zoom/set -m '{"factor": 8, "rate": 1}'
                  mosquitto_pub -p \(port) -t v4l2mqtt/demo/camera/capture/set -m '{"zoom": {"factor": 3}}'
                  mosquitto_sub -p \(port) -t v4l2mqtt/demo/camera/zoom

                """)
    }
}

/// The folder of a demo: the user's, or a temporary one.
private struct DemoFolder {
    let path: String
    private let isKept: Bool

    init(keep: String?) throws {
        if let keep {
            (path, isKept) = (keep, true)
            try FileManager.default.createDirectory(
                atPath: keep, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
            return
        }
        var template = Array("/tmp/v4l2mqtt-demo-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            printError("/tmp: \(String(cString: strerror(errno)))")
            throw ExitStatus.defect
        }
        (path, isKept) = (String(cString: made), false)
    }

    func remove() {
        if !isKept { try? FileManager.default.removeItem(atPath: path) }
    }
}
