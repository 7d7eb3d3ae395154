internal import ArgumentParser
internal import BrokerOptions
internal import Contract
internal import Ctl

/// `ctl capture`
struct CtlCapture: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Takes photos.",
        discussion: """
            v4l2mqtt ctl capture                              stores the photo at the agent, prints its path there
            v4l2mqtt ctl capture --zoom 3 --output here.jpg   zooms, waits for the zoom, transfers the photo
            v4l2mqtt ctl capture --group stage --output photos   one file for each camera, at one moment

            With --group, --output is a folder, which is made if it is missing. All cameras take their photos, \
            and these are copied there one after the other, as AGENT-CAMERA-NAME with their names at the agents.
            """)

    @OptionGroup var options: BusOptions

    @OptionGroup var time: TimeOptions

    @Option(
        help:
            "Writes the photo to this local file, - for standard output; with --group, to this folder. The agent has to use MQTT 5.",
        completion: .file())
    var output: String?

    @Option(help: "The JPEG's quality, 1 to 100.")
    var quality: Int?

    @Option(help: "The maximum width in pixels.")
    var width: Int?

    @Option(help: "The maximum height in pixels.")
    var height: Int?

    @Option(help: "The number of photos.")
    var count: Int?

    @Option(help: "The factor to zoom to first.")
    var zoom: Double?

    func validate() throws {
        if output?.isEmpty == true { throw ValidationError("--output is a file, or with --group a folder.") }
        if output == "-" && options.group != nil {
            throw ValidationError("With --group, --output is a folder.")
        }
        if output != nil && count ?? 1 != 1 && options.group == nil {
            throw ValidationError("--output takes one photo.")
        }
        if output == "-" && options.json { throw ValidationError("--output - is the photo, and no JSON.") }
        if output != nil && !options.broker.isV5 { throw ValidationError("--output needs MQTT 5.") }
    }

    func run() throws {
        let size: JSONObject = ["width": width.map(JSON.integer), "height": height.map(JSON.integer)]
        let fields: JSONObject = [
            "quality": quality.map(JSON.integer), "size": size.isEmpty ? nil : .object(size),
            "count": count.map(JSON.integer), "zoom": zoom.map { .object(["factor": .number($0)]) },
        ]
        guard let output else { return try options.run(.command(.capture, fields), time) }
        let destination: PhotoDestination =
            options.group != nil ? .folder(output) : output == "-" ? .standardOutput : .file(output)
        try options.run(.capture(fields, to: destination), time)
    }
}
