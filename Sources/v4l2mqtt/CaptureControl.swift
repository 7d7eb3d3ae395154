internal import ArgumentParser
internal import FoundationEssentials
internal import Messages

/// `ctl capture`
struct CaptureControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Takes photos.",
        discussion: """
            v4l2mqtt ctl capture                              keeps it at the agent, prints its path there
            v4l2mqtt ctl capture --zoom 3 --output here.jpg   zooms, settles, shoots, and brings the photo here
            """)

    @OptionGroup var options: BusOptions

    @Option(help: "Writes the photo to this file, here.")
    var output: String?

    @Option(help: "The JPEG's quality, 1 to 100.")
    var quality: Int?

    @Option(help: "The width that it is to fit into, in pixels.")
    var width: Int?

    @Option(help: "The height that it is to fit into, in pixels.")
    var height: Int?

    @Option(help: "How many.")
    var count: Int?

    @Option(help: "The factor to zoom to first.")
    var zoom: Double?

    func validate() throws {
        if output != nil && count ?? 1 != 1 { throw ValidationError("--output takes one photo.") }
        if output != nil && options.protocol != "5" { throw ValidationError("--output needs MQTT 5.") }
    }

    func run() throws {
        var fields = CommandFields()
        (fields.quality, fields.count) = (quality, count)
        if width != nil || height != nil { fields.size = .init(width: width, height: height) }
        fields.zoom = zoom.map { .init(factor: $0) }
        let controller = try Controller(options)
        guard let output else { return try controller.ask(.capture, fields) }
        fields.reply = "image"
        controller.photoCame = { [controller, options] bytes in
            do {
                try Data(bytes).write(to: URL(filePath: output), options: .atomic)
                if options.json {
                    print(
                        String(decoding: JSON.bytes(Brought(path: output, bytes: bytes.count)), as: UTF8.self)
                    )
                } else {
                    print("\(output), \(bytes.count) bytes")
                }
                controller.finish()
            } catch {
                controller.fail("\(output) can't be written: \(error)")
            }
        }
        try controller.run { [controller] _ in
            controller.send(.capture, fields) { reply in
                if reply.error != nil { return controller.conclude(reply) }
                guard reply.status != .accepted else { return }
                let kept = reply.photos?.first.map { " It is there as \($0.path.printable)." } ?? ""
                controller.fail("The agent speaks MQTT 3.1.1: it can't send the photo here.\(kept)")
            }
        }
    }

    /// A photo that is here now, as `--json` has it.
    private struct Brought: Encodable {
        let path: String
        let bytes: Int
    }
}
