internal import ArgumentParser
internal import MQTTBus
internal import Messages

/// `ctl controls`
struct ControlsControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controls",
        abstract: "Lists the camera's controls, or sets some: all of them or none.",
        discussion: """
            v4l2mqtt ctl controls
            v4l2mqtt ctl controls brightness 100 autofocus off
            v4l2mqtt ctl controls brightness=100 color_effects=Sepia
            """)

    @OptionGroup var options: BusOptions

    @Argument(
        help: ArgumentHelp(
            "A control, and a blank or = before its value: a number, on or off, or one of a picker's titles.",
            valueName: "name value"),
        completion: Completions.controls)
    var words: [String] = []

    private struct Setting {
        let name: String
        let value: String
    }

    /// What the words say. One that has a "=" says all by itself; any other is a name, and the next is its value, whatever that looks like.
    private func settings() throws -> [Setting] {
        var settings: [Setting] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if let equals = word.firstIndex(of: "=") {
                let value = String(word[word.index(after: equals)...])
                settings.append(Setting(name: String(word[..<equals]), value: value))
            } else if let value = rest.popFirst() {
                settings.append(Setting(name: word, value: value))
            } else {
                throw ValidationError("\(word) lacks a value, as in \(word) 1 or \(word)=1.")
            }
        }
        return settings
    }

    func validate() throws {
        let settings = try settings()
        for (place, setting) in settings.enumerated() {
            if settings[..<place].contains(where: { $0.name == setting.name }) {
                throw ValidationError("\(setting.name) is given twice.")
            }
            if setting.name.isEmpty || Envelope.names.contains(setting.name) {
                throw ValidationError("No control is called \"\(setting.name)\".")
            }
        }
    }

    func run() throws {
        let settings = try settings()
        let controller = try Controller(options, listeningTo: ["info", "controls"])
        try controller.read { payloads in
            guard let info = payloads["info"].flatMap({ JSON.value(CameraInfo.self, from: $0) }),
                let state = payloads["controls"].flatMap({ JSON.value(ControlsState.self, from: $0) })
            else { return controller.fail(.internal, "The camera's controls can't be read.") }
            if settings.isEmpty {
                show(info.controls, state)
                controller.finish()
            } else {
                set(settings, of: info.controls, controller)
            }
        }
    }

    private func set(
        _ settings: [Setting], of controls: [CameraInfo.Control], _ controller: Controller
    ) {
        var values: [String: ControlValue] = [:]
        for setting in settings {
            // What the camera doesn't have is for the camera to refuse.
            let control = controls.first { $0.name == setting.name }
            guard let value = ControlValue(setting.value, for: control) else {
                let allowed = control?.allowed ?? "a number, on or off"
                return controller.fail(
                    .badPayload, "\(setting.name) takes \(allowed.printable); found \"\(setting.value)\".")
            }
            values[setting.name] = value
        }
        controller.send(.controls, ControlsFields(values)) { reply in
            if reply.status != .accepted { controller.conclude(reply, aboutControls: Set(values.keys)) }
        }
    }

    private func show(_ controls: [CameraInfo.Control], _ state: ControlsState) {
        let rows = controls.map { Row(control: $0, value: state.values[$0.name]) }
        if options.json { return say(json: rows) }
        guard !rows.isEmpty else { return say("The camera has no controls.") }
        var table = TextTable(["NAME", "VALUE", "RANGE", "UNIT", "DEFAULT", "TITLE", ""])
        for row in rows {
            let control = row.control
            table.add([
                control.name.printable, control.words(row.value), control.allowed.printable,
                control.unit?.printable ?? "", control.words(control.default), control.title.printable,
                control.enabled ? " " : "disabled: \(control.reason?.printable ?? "for no reason given")",
            ])
        }
        table.print()
    }

    /// A control with its value, as `--json` has it: the descriptor's fields and `value`.
    private struct Row: Encodable {
        let control: CameraInfo.Control
        let value: ControlValue?

        private enum Keys: String, CodingKey { case value }

        func encode(to encoder: any Encoder) throws {
            try control.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encodeIfPresent(value, forKey: .value)
        }
    }
}

extension CameraInfo.Control {
    /// What it takes, in words.
    fileprivate var allowed: String {
        if let options { return options.map { "\(plain($0.value)) \($0.title)" }.joined(separator: ", ") }
        if let values { return values.map { plain($0) }.joined(separator: ", ") }
        if let min, let max {
            let step = step.map { $0 == 1 ? "" : " by \(plain($0))" } ?? ""
            return "\(plain(min))…\(plain(max))\(step)"
        }
        return switch kind {
        case "toggle": "on, off"
        case "button": "on"
        default: ""
        }
    }

    /// A value of it, in words.
    fileprivate func words(_ value: ControlValue?) -> String {
        guard let value else { return "" }
        if case .number(let number) = value, let option = options?.first(where: { $0.value == number }) {
            return "\(value.words) \(option.title.printable)"
        }
        return value.words
    }
}

extension ControlValue {
    /// What a word of the command line means to a control; nil when it can't be meant.
    fileprivate init?(_ word: String, for control: CameraInfo.Control?) {
        let lowercased = word.lowercased()
        let takesFlag = control.map { ["toggle", "button"].contains($0.kind) } ?? true
        if let option = control?.options?.first(where: { $0.title.lowercased() == lowercased }) {
            self = .number(option.value)
        } else if takesFlag && ["on", "true"].contains(lowercased) {
            self = .flag(true)
        } else if takesFlag && ["off", "false"].contains(lowercased) {
            self = .flag(false)
        } else if let number = Double(word), number.isFinite {
            self =
                control?.kind == "toggle" && (number == 0 || number == 1)
                ? .flag(number == 1) : .number(number)
        } else {
            return nil
        }
    }
}
