internal import ArgumentParser
internal import MQTTBus
internal import Messages

/// `ctl preset`
struct PresetControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preset",
        abstract: "Lists the views that are kept under a name, goes to one, keeps one, forgets one.",
        discussion: """
            v4l2mqtt ctl preset save gate          keeps the view as it is
            v4l2mqtt ctl preset go gate --rate 1   goes there at one octave (a doubling) per second
            v4l2mqtt ctl preset go home            as wide as can be, unless another was saved
            """,
        subcommands: [List.self, Go.self, Save.self, Delete.self])

    /// `ctl preset list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists them; * marks the one that is in view.",
            discussion: "With --json, the camera's presets as they are on the bus.")

        @OptionGroup var options: BusOptions

        func run() throws {
            let controller = try Controller(options, listeningTo: ["presets"])
            try controller.read { [options] payloads in
                guard let payload = payloads["presets"],
                    let state = JSON.value(PresetsState.self, from: payload)
                else { return controller.fail(.internal, "The camera's presets can't be read.") }
                if options.json { say(String(decoding: payload, as: UTF8.self)) } else { show(state) }
                controller.finish()
            }
        }

        private func show(_ state: PresetsState) {
            var table = TextTable(["NAME", "ZOOM", "MIDDLE", "CONTROLS"])
            // It isn't in the state until somebody saves another view under its name.
            if state.presets[PresetsSet.home] == nil {
                table.add([named(PresetsSet.home, state), "widest", "", ""])
            }
            for (name, preset) in state.presets.sorted(by: { $0.key < $1.key }) {
                let controls = preset.controls.sorted { $0.key < $1.key }
                    .map { "\($0.key.printable)=\($0.value.words)" }
                table.add([
                    named(name, state), plain(preset.factor) + "×",
                    "\(plain(preset.center.x)),\(plain(preset.center.y))", controls.joined(separator: " "),
                ])
            }
            table.print()
        }

        private func named(_ name: String, _ state: PresetsState) -> String {
            name.printable + (name == state.current ? " *" : "")
        }
    }

    /// `ctl preset go`
    struct Go: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Goes to one.")

        @OptionGroup var options: BusOptions

        @Argument(help: "Its name.", completion: Completions.presets)
        var name: String

        @Option(help: "Octaves per second; without it, at once.")
        var rate: Double?

        func run() throws {
            var fields = CommandFields()
            (fields.go, fields.rate) = (name, rate)
            try Controller(options).ask(.presets, fields)
        }
    }

    /// `ctl preset save`
    struct Save: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Keeps the view as it is under a name.")

        @OptionGroup var options: BusOptions

        @Argument(
            help: "The name; if there is one of this name, it is replaced.", completion: Completions.presets)
        var name: String

        func run() throws {
            var fields = CommandFields()
            fields.save = name
            try Controller(options).ask(.presets, fields)
        }
    }

    /// `ctl preset delete`
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Forgets one.")

        @OptionGroup var options: BusOptions

        @Argument(help: "Its name.", completion: Completions.presets)
        var name: String

        func run() throws {
            var fields = CommandFields()
            fields.delete = name
            try Controller(options).ask(.presets, fields)
        }
    }
}

extension ControlValue {
    /// The value as a person writes it on the command line.
    var words: String {
        switch self {
        case .number(let number): plain(number)
        case .flag(let flag): flag ? "on" : "off"
        case .text(let text): text.printable
        }
    }
}
