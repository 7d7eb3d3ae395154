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
            v4l2mqtt ctl controls brightness=100 autofocus=off color_effects=Sepia
            """)

    @OptionGroup var options: BusOptions

    @Argument(
        help: ArgumentHelp(
            "A control and its value: a number, on or off, or one of a picker's titles.",
            valueName: "name=value"),
        completion: Completions.controls)
    var settings: [Setting] = []

    /// A word such as `brightness=100`.
    struct Setting: ExpressibleByArgument {
        let name: String
        let value: String

        init?(argument: String) {
            guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else { return nil }
            name = String(argument[..<equals])
            value = String(argument[argument.index(after: equals)...])
        }
    }

    func validate() throws {
        for (place, setting) in settings.enumerated()
        where settings[..<place].contains(where: { $0.name == setting.name }) {
            throw ValidationError("\(setting.name) is given twice.")
        }
        for setting in settings where Envelope.names.contains(setting.name) {
            throw ValidationError("No control is called \(setting.name).")
        }
    }

    func run() throws {
        let controller = try Controller(options, listeningTo: ["info", "controls"])
        try controller.read { payloads in
            guard let info = payloads["info"].flatMap({ JSON.value(CameraInfo.self, from: $0) }),
                let state = payloads["controls"].flatMap({ JSON.value(ControlsState.self, from: $0) })
            else { return controller.fail(.internal, "The camera's controls can't be read.") }
            if settings.isEmpty {
                show(info.controls, state)
                controller.finish()
            } else {
                set(info.controls, controller)
            }
        }
    }

    private func set(_ controls: [CameraInfo.Control], _ controller: Controller) {
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
