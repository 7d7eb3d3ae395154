internal import CV4L2
internal import Contract

/// Translates a device's controls: names, kinds, units and values, in both directions. Pure.
struct ControlMap: Sendable, Equatable {
    /// The controls of the zoom: shown among the controls, and set by requests to the lens only.
    private static let zoomControls = [cv4l2_zoom_absolute, cv4l2_zoom_continuous]

    /// A control, with its value in the driver's units.
    struct Entry: Sendable, Equatable {
        var name: String
        var control: V4L2Control
        var value: Int64
        /// The value of a text control.
        var text: String?
    }

    private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - controls: in the driver's order.
    ///   - values: as they were read. A control that could not be read gets its default.
    init(_ controls: [V4L2Control], values: [UInt32: Int64], texts: [UInt32: String] = [:]) {
        var names: Set<String> = []
        for control in controls where control.kind != .heading {
            var name = Self.name(of: control.title)
            if name.isEmpty || !names.insert(name).inserted {
                name += (name.isEmpty ? "" : "_") + String(control.id, radix: 16)
                names.insert(name)
            }
            entries.append(
                Entry(
                    name: name, control: control, value: values[control.id] ?? control.standard,
                    text: texts[control.id]))
        }
    }

    /// The name that v4l2-ctl gives it: lower-case letters and digits, with `_` between the words.
    static func name(of title: String) -> String {
        let words = title.lowercased().utf8.split { !$0.isSmallLetterOrDigit }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    }

    subscript(id: UInt32) -> Entry? { entries.first { $0.control.id == id } }
    subscript(name: String) -> Entry? { entries.first { $0.name == name } }

    /// The first of these controls that cannot be set now, and the reason.
    func firstDisabled(of names: [String]) -> (name: String, reason: String)? {
        for name in names {
            if let reason = self[name].flatMap({ Self.reason(against: $0.control) }) { return (name, reason) }
        }
        return nil
    }

    /// Stores a value that was read. Returns whether it has changed.
    mutating func note(_ value: Int64, of id: UInt32) -> Bool {
        guard let place = entries.firstIndex(where: { $0.control.id == id }), entries[place].value != value
        else { return false }
        entries[place].value = value
        return true
    }

    /// The driver's value for a requested one; nil if that is of another kind.
    func raw(_ wanted: Control.Value, of entry: Entry) -> Int64? {
        switch (entry.control.kind, wanted) {
        case (.boolean, .flag(let flag)), (.button, .flag(let flag)): return flag ? 1 : 0
        case (.integer, .number(let number)), (.bitmask, .number(let number)), (.menu, .number(let number)),
            (.button, .number(let number)):
            return Int64(exactly: number.rounded())
        case (.integerMenu, .number(let number)):
            return entry.control.items.first { Self.value(of: $0, in: entry.control) == number }?.index
        default: return nil
        }
    }

    /// The controls with their present values.
    var list: [Control] { entries.map(Self.described) }

    private static func described(_ entry: Entry) -> Control {
        let control = entry.control
        let (kind, standard, value) = parts(of: entry)
        return Control(
            entry.name, control.title, kind, unit: cv4l2_unit(control.id).map { String(cString: $0) },
            default: standard, value: value, disabledBecause: reason(against: control),
            isReadOnly: permanentReason(against: control) != nil, isPrivacy: control.id == cv4l2_privacy)
    }

    private static func parts(of entry: Entry) -> (Control.Kind, Control.Value, Control.Value) {
        let control = entry.control
        switch control.kind {
        case .boolean: return (.toggle, .flag(control.standard != 0), .flag(entry.value != 0))
        case .button: return (.button, .flag(false), .flag(false))
        case .menu:
            let options = control.items.map { Control.Option(Double($0.index), $0.title) }
            return (.picker(options), .number(Double(control.standard)), .number(Double(entry.value)))
        case .integerMenu:
            func value(_ index: Int64) -> Double {
                control.items.first { $0.index == index }.map { Self.value(of: $0, in: control) } ?? 0
            }
            let values = control.items.map { Self.value(of: $0, in: control) }.sorted()
            return (.discrete(values), .number(value(control.standard)), .number(value(entry.value)))
        case .text, .compound, .heading: return (.text, .text(""), .text(entry.text ?? ""))
        case .integer, .bitmask:
            let kind = Control.Kind.slider(
                min: Double(control.minimum), max: Double(control.maximum),
                step: Double(max(1, control.step)))
            return (kind, .number(Double(control.standard)), .number(Double(entry.value)))
        }
    }

    /// The number of a menu item, in the control's unit. V4L2 counts the exposure bias in thousandths of an
    /// EV.
    private static func value(of item: V4L2Control.Item, in control: V4L2Control) -> Double {
        Double(item.value ?? item.index) / (control.id == cv4l2_exposure_bias ? 1000 : 1)
    }

    /// The reason why ``CameraBackend/setControls(_:then:)`` does not set a control; nil: it does.
    static func reasonToLeave(_ control: V4L2Control) -> String? {
        if zoomControls.contains(control.id) { return "it is set by the zoom" }
        return control.isOfOrientation ? "it is set by rotation and mirror of the configuration" : nil
    }

    private static func reason(against control: V4L2Control) -> String? {
        permanentReason(against: control) ?? presentReason(against: control)
    }

    /// The reason why a control can never be set.
    private static func permanentReason(against control: V4L2Control) -> String? {
        if let reason = reasonToLeave(control) { return reason }
        if control.isReadOnly { return "it is read-only" }
        switch control.kind {
        case .text: return "text controls can only be shown"
        case .compound: return "it has more than one value"
        default: return nil
        }
    }

    /// The reason why a control cannot be set at the moment.
    private static func presentReason(against control: V4L2Control) -> String? {
        if control.isDisabled { return "the driver has disabled it" }
        if control.isGrabbed {
            return "it cannot be changed at the moment, for example while the camera streams"
        }
        if control.isInactive {
            return "it is inactive: another control, such as an automatic mode, determines it"
        }
        return nil
    }
}
