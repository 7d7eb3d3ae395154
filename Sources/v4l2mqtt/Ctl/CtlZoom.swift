internal import ArgumentParser
internal import Contract
internal import Ctl

/// `ctl zoom`
struct CtlZoom: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zoom",
        abstract: "Zooms to a factor or a position, by a multiple, or with a velocity; or stops.",
        discussion: """
            v4l2mqtt ctl zoom 2.5            immediately
            v4l2mqtt ctl zoom 8 --rate 1     at one octave (a doubling) per second
            v4l2mqtt ctl zoom --move -0.5    out by half an octave per second, for a second
            v4l2mqtt ctl zoom 8 --rate 1 --in 2s   begins in two seconds
            """)

    @OptionGroup var options: BusOptions

    @OptionGroup var time: TimeOptions

    @Argument(help: "The factor.")
    var factor: Double?

    @Option(help: "The position in the range, 0 to 1.")
    var position: Double?

    @Option(help: "Multiplies the target.")
    var by: Double?

    @Option(parsing: .unconditional, help: "Octaves per second, negative to zoom out, until --timeout.")
    var move: Double?

    @Option(help: "The duration of a move in milliseconds, at most 10000.")
    var timeout = 1000

    @Flag(help: "Stops the zoom.")
    var stop = false

    @Option(help: "Octaves per second; default: without a ramp.")
    var rate: Double?

    @Option(help: ArgumentHelp("The point of the view that stays in place, 0 to 1 each.", valueName: "x,y"))
    var anchor: PointArgument?

    func validate() throws {
        let ways = [factor != nil, position != nil, by != nil, move != nil, stop].filter { $0 }.count
        guard ways == 1 else {
            throw ValidationError("Give one of a factor, --position, --by, --move and --stop.")
        }
        guard [factor, position, by, move, rate].allSatisfy({ $0?.isFinite ?? true }) else {
            throw ValidationError("A number is finite.")
        }
    }

    func run() throws {
        let fields: JSONObject = [
            "factor": factor.map(JSON.number), "position": position.map(JSON.number),
            "by": by.map(JSON.number), "rate": rate.map(JSON.number),
            "anchor": (anchor?.point).map(JSON.object),
            "move": move.map { .object(["velocity": .number($0), "timeout_ms": .integer(timeout)]) },
            "stop": stop ? .flag(true) : nil,
        ]
        try options.run(.command(.zoom, fields), time)
    }
}
