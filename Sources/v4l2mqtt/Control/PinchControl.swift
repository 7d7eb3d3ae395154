internal import ArgumentParser
internal import Glibc
internal import LoopThread
internal import Messages

/// `ctl pinch`
struct PinchControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pinch",
        abstract: "Pinches as two fingers would: from the zoom as it is, to a multiple of it.",
        discussion: "v4l2mqtt ctl pinch 2 --over 500 --anchor 0.25,0.5")

    /// Samples per second, as a phone sends them.
    private static let rate = 60.0

    @OptionGroup var options: BusOptions

    @Argument(help: "How far the fingers part, as a multiple.")
    var scale: Double

    @Option(help: "How long it takes, in milliseconds.")
    var over = 300

    @Option(help: ArgumentHelp("The point between the fingers, 0 to 1 each.", valueName: "x,y"))
    var anchor: PointArgument?

    func validate() throws {
        guard scale > 0, scale.isFinite else { throw ValidationError("The scale is a number above 0.") }
        guard (0...60_000).contains(over) else { throw ValidationError("--over is 0 to 60000 milliseconds.") }
    }

    func run() throws {
        let controller = try Controller(options)
        let steps = max(1, Int(Double(over) / 1000 * Self.rate))
        var step = 0
        var timer: LoopTimer?
        timer = controller.loop.timer { [controller, self] in
            step += 1
            let isLast = step > steps
            var fields = fields(isLast ? "ended" : "changed", step)
            fields.scale = pow(scale, Double(min(step, steps)) / Double(steps))
            controller.send(.pinch, fields) { reply in
                if reply.error != nil || (isLast && reply.status != .accepted) { controller.conclude(reply) }
            }
            if !isLast { timer?.set(after: .seconds(1 / Self.rate)) }
        }
        try controller.run { [controller, self] _ in
            controller.send(.pinch, fields("began", 0)) { reply in
                if reply.error != nil || reply.status == .superseded { return controller.conclude(reply) }
                if reply.status == .done { timer?.set(after: .seconds(1 / Self.rate)) }
            }
        }
    }

    private func fields(_ phase: String, _ sequence: Int) -> CommandFields {
        var fields = CommandFields()
        (fields.gesture, fields.phase, fields.seq) = ("ctl-\(getpid())", phase, sequence)
        fields.anchor = anchor.map { .init(x: $0.x, y: $0.y) }
        return fields
    }
}
