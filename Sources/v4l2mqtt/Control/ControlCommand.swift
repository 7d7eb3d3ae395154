internal import ArgumentParser

/// The controller on the command line.
struct ControlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl",
        abstract: "Controls cameras on the bus, and watches them.",
        discussion: """
            Where there is one agent with one camera, they are found by themselves; otherwise name them by --agent and \
            --camera. The exit code is 0 when the camera did it, 1 when it refused, isn't there or nobody answered.
            """,
        subcommands: [
            ZoomControl.self, PinchControl.self, CaptureControl.self, RecordControl.self, PresetControl.self,
            ControlsControl.self, ListControl.self, WatchControl.self,
        ])
}

/// A point on the command line, as in `0.5,0.25`.
struct PointArgument: ExpressibleByArgument {
    let x: Double
    let y: Double

    init?(argument: String) {
        let parts = argument.split(separator: ",").compactMap { Double($0) }
        guard parts.count == 2, parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
        (x, y) = (parts[0], parts[1])
    }
}
