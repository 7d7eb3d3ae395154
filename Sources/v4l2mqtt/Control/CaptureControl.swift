internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
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

    /// So long a photo may take that comes as it is, without a word before: the zoom gets there, and settles.
    private static let longest = Duration.seconds(120)

    @OptionGroup var options: BusOptions

    @Option(
        help: "Writes the photo to this file, here, - for standard output; the agent has to speak MQTT 5.")
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
        if output == "-" && options.json { throw ValidationError("--output - is the photo, and no JSON.") }
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
            if output == "-" {
                say(bytes)
                return controller.finish()
            }
            do {
                try Self.write(bytes, to: output)
                if options.json {
                    say(json: Brought(path: output, bytes: bytes.count))
                } else {
                    say("\(output), \(bytes.count) bytes")
                }
                controller.finish()
            } catch {
                controller.fail(Self.unwritable(output, error))
            }
        }
        try controller.run { [controller] _ in
            defer { controller.bePatient(atMost: Self.longest) }
            controller.send(.capture, fields) { reply in
                switch reply.status {
                case .accepted: break
                case .done:
                    let kept = reply.photos?.first.map { " It is there as \($0.path.printable)." } ?? ""
                    controller.fail(
                        .unsupported, "The agent speaks MQTT 3.1.1: it can't send the photo here.\(kept)")
                case .superseded, .error:
                    if output != "-" { return controller.conclude(reply) }
                    // Standard output is the photo's.
                    controller.fail(saying: reply.error?.words ?? reply.status.rawValue)
                }
            }
        }
    }

    /// A file is there as a whole or not at all; what isn't a file, as a pipe, stays what it is.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        var status = stat()
        let isOther = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        try Data(bytes).write(to: URL(filePath: path), options: isOther ? [] : .atomic)
    }

    private static func unwritable(_ file: String, _ error: any Error) -> CommandError {
        let cause = (error as? CocoaError)?.underlying as? POSIXError
        let words = cause.map { String(cString: strerror($0.code.rawValue)) } ?? "\(error)"
        return CommandError(
            cause?.code == .ENOSPC ? .storageFull : .device, "\(file) can't be written: \(words)")
    }

    /// A photo that is here now, as `--json` has it.
    private struct Brought: Encodable {
        let path: String
        let bytes: Int
    }
}
