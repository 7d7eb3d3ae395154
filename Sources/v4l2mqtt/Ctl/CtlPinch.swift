internal import ArgumentParser
internal import Contract
internal import Ctl
internal import Fleet
internal import Glibc

/// `ctl pinch`
struct CtlPinch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pinch",
        abstract: "Sends a pinch gesture: from the present zoom to a multiple of it.",
        discussion: "v4l2mqtt ctl pinch 2 --over 500 --anchor 0.25,0.5")

    @OptionGroup var options: BusOptions

    @Argument(help: "The final distance of the fingers, as a multiple of the initial one.")
    var scale: Double

    @Option(help: "The duration in milliseconds.")
    var over = 300

    @Option(help: ArgumentHelp("The point between the fingers, 0 to 1 each.", valueName: "x,y"))
    var anchor: PointArgument?

    func validate() throws {
        guard scale > 0, scale.isFinite else { throw ValidationError("The scale is a number above 0.") }
        guard (0...60_000).contains(over) else { throw ValidationError("--over is 0 to 60000 milliseconds.") }
    }

    func run() throws {
        try options.run(
            .pinch(
                PinchGesture(
                    name: "ctl-\(getpid())", scale: scale, milliseconds: over, anchor: anchor?.point)))
    }
}
