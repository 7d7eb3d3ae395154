internal import ArgumentParser
internal import Contract
internal import Fleet
internal import Glibc

extension CtlCommand {
    struct Zoom: TimedCommand {
        static let configuration = CommandConfiguration(
            abstract: "Zooms to a factor or a position, by a multiple, or with a velocity; or stops.",
            discussion: """
                v4l2mqtt ctl zoom 2.5            immediately
                v4l2mqtt ctl zoom 8 --rate 1     at one octave (a doubling) per second
                v4l2mqtt ctl zoom --move -0.5    out by half an octave per second, for a second
                v4l2mqtt ctl zoom 8 --rate 1 --in 2s   begins in two seconds
                """)

        @Argument(help: "The factor.")
        var factor: Double?

        @Option(help: "The position in the range, 0 to 1.")
        var position: Double?

        @Option(help: "Multiplies the target.")
        var by: Double?

        @Option(
            parsing: .unconditional, help: "Octaves per second, negative to zoom out, until --timeout.")
        var move: Double?

        @Option(help: "The duration of a move in milliseconds, at most 10000.")
        var timeout = 1000

        @Flag(help: "Stops the zoom.")
        var stop = false

        @Option(help: "Octaves per second; default: without a ramp.")
        var rate: Double?

        @Option(
            help: ArgumentHelp("The point of the view that stays in place, 0 to 1 each.", valueName: "x,y"))
        var anchor: PointArgument?

        @OptionGroup var time: TimeOptions
        @OptionGroup var options: BusOptions

        var operation: CtlOperation {
            .command(
                .zoom,
                [
                    "factor": factor.map(JSON.number), "position": position.map(JSON.number),
                    "by": by.map(JSON.number), "rate": rate.map(JSON.number), "anchor": anchor?.point,
                    "move": move.map { .object(["velocity": .number($0), "timeout_ms": .integer(timeout)]) },
                    "stop": stop ? .flag(true) : nil,
                ])
        }
    }

    struct Pinch: CameraCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a pinch gesture: from the present zoom to a multiple of it.",
            discussion: "v4l2mqtt ctl pinch 2 --over 500 --anchor 0.25,0.5")

        @Argument(help: "The final distance of the fingers, as a multiple of the initial one.")
        var scale: Double

        @Option(help: "The duration in milliseconds.")
        var over = 300

        @Option(help: ArgumentHelp("The point between the fingers, 0 to 1 each.", valueName: "x,y"))
        var anchor: PointArgument?

        @OptionGroup var options: BusOptions

        var operation: CtlOperation {
            get throws {
                guard (0...60_000).contains(over) else {
                    throw ValidationError("--over is 0 to 60000 milliseconds.")
                }
                return .pinch(
                    PinchGesture(
                        name: "ctl-\(getpid())", scale: scale, milliseconds: over, anchor: anchor?.point))
            }
        }
    }

    struct Preset: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists, recalls, saves and deletes named views.",
            discussion: """
                v4l2mqtt ctl preset save gate          saves the present view
                v4l2mqtt ctl preset go gate --rate 1   goes there at one octave (a doubling) per second
                v4l2mqtt ctl preset go home            the widest view, unless another was saved as home
                """,
            subcommands: [List.self, Go.self, Save.self, Delete.self], aliases: ["presets"])

        struct List: CameraCommand {
            static let configuration = CommandConfiguration(
                abstract: "Lists the presets; * marks the current view.",
                discussion: "With --json, prints the camera's state of presets.")

            @OptionGroup var options: BusOptions

            var operation: CtlOperation { .listPresets }
        }

        struct Go: TimedCommand {
            static let configuration = CommandConfiguration(abstract: "Goes to a preset.")

            @Argument(help: "The name of the preset.", completion: Completions.presets)
            var name: String

            @Option(help: "Octaves per second; default: without a ramp.")
            var rate: Double?

            @OptionGroup var time: TimeOptions
            @OptionGroup var options: BusOptions

            var operation: CtlOperation {
                .command(.presets, ["rate": rate.map(JSON.number), "go": .text(name)])
            }
        }

        struct Save: TimedCommand {
            static let configuration = CommandConfiguration(abstract: "Saves the present view.")

            @Argument(
                help: "The name of the preset; an existing one is replaced.", completion: Completions.presets)
            var name: String

            @OptionGroup var time: TimeOptions
            @OptionGroup var options: BusOptions

            var operation: CtlOperation { .command(.presets, ["save": .text(name)]) }
        }

        struct Delete: TimedCommand {
            static let configuration = CommandConfiguration(abstract: "Deletes a preset.")

            @Argument(help: "The name of the preset.", completion: Completions.presets)
            var name: String

            @OptionGroup var time: TimeOptions
            @OptionGroup var options: BusOptions

            var operation: CtlOperation { .command(.presets, ["delete": .text(name)]) }
        }
    }

    struct Lease: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes or releases the exclusive right to move the zoom, or shows who has it.",
            discussion: """
                v4l2mqtt ctl lease take --for 60s    keeps other clients from the zoom, for a minute
                v4l2mqtt ctl lease take --force      also if another client has it
                """,
            subcommands: [Take.self, Release.self, Show.self])

        struct Take: CameraCommand {
            static let configuration = CommandConfiguration(
                abstract: "Takes the lease, or renews it: only this client moves the zoom until it ends.")

            @Option(
                name: .customLong("for"),
                help: ArgumentHelp("When it ends by itself, as 60s or 5m.", valueName: "time"))
            var length = DelayArgument()

            @Flag(help: "Also if another client has it.")
            var force = false

            @OptionGroup var options: BusOptions

            var operation: CtlOperation {
                let milliseconds = Int((length.duration / .milliseconds(1)).rounded())
                return .command(
                    .lease,
                    [
                        "take": .flag(true), "ttl_ms": .integer(milliseconds),
                        "force": force ? .flag(true) : nil,
                    ])
            }
        }

        struct Release: CameraCommand {
            static let configuration = CommandConfiguration(abstract: "Releases the lease.")

            @OptionGroup var options: BusOptions

            var operation: CtlOperation { .command(.lease, ["release": .flag(true)]) }
        }

        struct Show: CameraCommand {
            static let configuration = CommandConfiguration(
                abstract: "Shows who has the lease, and until when.",
                discussion: "With --json, prints the camera's state of the lease.")

            @OptionGroup var options: BusOptions

            var operation: CtlOperation { .showLease }
        }
    }
}
