package import Base
package import Contract

/// A control and its value as they were written on the command line.
package struct ControlSetting: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }

    /// Parses `name=value` as one word, or a name and its value as two. The value may look like anything.
    package static func parse(_ words: [String]) throws(CommandError) -> [ControlSetting] {
        var settings: [ControlSetting] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            let setting: ControlSetting
            if let equals = word.firstIndex(of: "=") {
                setting = .init(
                    name: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
            } else if let value = rest.popFirst() {
                setting = .init(name: word, value: value)
            } else {
                throw CommandError(.badPayload, "\(word) lacks a value, as in \(word) 1 or \(word)=1.")
            }
            if settings.contains(where: { $0.name == setting.name }) {
                throw CommandError(.badPayload, "\(setting.name) is given twice.")
            }
            if setting.name.isEmpty || Envelope.names.contains(setting.name) {
                throw CommandError(.badPayload, "No control is called \"\(setting.name)\".")
            }
            settings.append(setting)
        }
        return settings
    }
}

/// The controls of a camera with their values.
package struct ControlTable {
    private let controls: [CameraInfo.ControlDescriptor]
    private let values: [String: ControlValue]

    /// - Parameters:
    ///   - info: the camera's `info`; nil: it can't be read.
    ///   - state: its state of `controls`.
    /// - Returns: nil if one of them can't be read.
    package init?(_ info: CameraInfo?, state: [UInt8]) {
        guard let info, let state = JSON.value(Stamped<ControlsState>.self, from: state) else { return nil }
        (controls, values) = (info.controls, state.values)
    }

    /// The controls of a camera, without their values.
    init(_ info: CameraInfo) { (controls, values) = (info.controls, [:]) }

    /// The values for a command.
    ///
    /// - Throws: an error for a value that the control can't have. Unknown controls are left to the agent to
    ///   refuse.
    package func values(of settings: [ControlSetting]) throws(CommandError) -> [String: ControlValue] {
        var values: [String: ControlValue] = [:]
        for setting in settings {
            let control = controls.first { $0.name == setting.name }
            guard let value = ControlValue(setting.value, for: control) else {
                let allowed = control?.allowedValues ?? "a number, on or off"
                throw CommandError(
                    .badPayload, "\(setting.name) takes \(allowed); found \"\(setting.value)\".")
            }
            values[setting.name] = value
        }
        return values
    }

    /// The output of `ctl controls`.
    package func lines(json: Bool) -> [PrintableLine] {
        let rows = controls.map { Row($0, values[$0.name]) }
        if json { return [JSON.line(JSON.list(rows.map(\.json)))] }
        guard !rows.isEmpty else { return ["The camera has no controls."] }
        var table = TextTable(["NAME", "VALUE", "RANGE", "UNIT", "DEFAULT", "TITLE", ""])
        for row in rows {
            let control = row.control
            table.add([
                control.name, control.text(of: row.value), control.allowedValues,
                control.unit ?? "", control.text(of: control.default), control.title,
                control.enabled ? " " : "disabled: \(control.reason ?? "for no reason given")",
            ])
        }
        return table.lines
    }

    /// A control as `--json` prints it: the fields of its description and `value`.
    private struct Row: Form {
        let control: CameraInfo.ControlDescriptor
        let value: ControlValue?

        init(_ control: CameraInfo.ControlDescriptor, _ value: ControlValue?) {
            (self.control, self.value) = (control, value)
        }

        init(_ f: inout some FormVisitor<Self>) {
            control = f.group(\.control)
            value = f.maybe("value", \.value, .any, "At present.")
        }
    }
}

extension JSONObject {
    /// A command of `controls`, whose fields are named by the camera's controls.
    init(controls values: [String: ControlValue]) {
        self.init()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where !Envelope.names.contains(name) {
            self[name] =
                switch value {
                case .number(let number): .number(number)
                case .flag(let flag): .flag(flag)
                case .text(let text): .text(text)
                }
        }
    }
}

extension CameraInfo.ControlDescriptor {
    /// The values that a shell offers; empty if any number in a range is possible.
    var choices: [String] {
        switch kind {
        case "toggle": ["on", "off"]
        case "button": ["on"]
        default: options?.map(\.title) ?? []
        }
    }

    /// The allowed values as text.
    fileprivate var allowedValues: String {
        if let options {
            return options.map { "\($0.value.roundedText) \($0.title)" }.joined(separator: ", ")
        }
        if let values { return values.map(\.roundedText).joined(separator: ", ") }
        if let min, let max {
            let step = step.map { $0 == 1 ? "" : " by \($0.roundedText)" } ?? ""
            return "\(min.roundedText)…\(max.roundedText)\(step)"
        }
        return switch kind {
        case "toggle": "on, off"
        case "button": "on"
        default: ""
        }
    }

    /// A value of this control as text, with the title of the option if it has options.
    fileprivate func text(of value: ControlValue?) -> String {
        guard let value else { return "" }
        if case .number(let number) = value, let option = options?.first(where: { $0.value == number }) {
            return "\(value.text) \(option.title)"
        }
        return value.text
    }
}

extension ControlValue {
    /// The value that a word means for a control; nil if it means none.
    ///
    /// - Parameter control: nil if the camera has no such control.
    init?(_ word: String, for control: CameraInfo.ControlDescriptor?) {
        let lowercased = word.lowercased()
        let takesFlag = control.map { ["toggle", "button"].contains($0.kind) } ?? true
        if let option = control?.options?.first(where: { $0.title.lowercased() == lowercased }) {
            self = .number(option.value)
        } else if takesFlag && ["on", "true"].contains(lowercased) {
            self = .flag(true)
        } else if takesFlag && ["off", "false"].contains(lowercased) {
            self = .flag(false)
        } else if let number = Double(word), number.isFinite {
            let isFlag = control?.kind == "toggle" && (number == 0 || number == 1)
            self = isFlag ? .flag(number == 1) : .number(number)
        } else {
            return nil
        }
    }
}
