internal import CV4L2
package import Cameras

/// A device's controls as a person handles them: names, kinds and units, and the way there and back of their values. Pure.
package struct ControlMap: Sendable {
    /// What the zoom drives: shown among the controls, but not set there.
    private static let zoomControls = [cv4l2_zoom_absolute, cv4l2_zoom_continuous]

    /// One control, with its value as the driver counts it.
    package struct Entry: Sendable, Equatable {
        package var name: String
        package var control: V4L2Control
        package var value: Int64
        /// Of a text.
        package var text: String?
    }

    package private(set) var entries: [Entry] = []

    /// - Parameters:
    ///   - controls: in the driver's order.
    ///   - values: as they were read; where there is none, it couldn't be, and the default stands in.
    package init(_ controls: [V4L2Control], values: [UInt32: Int64], texts: [UInt32: String] = [:]) {
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

    /// As v4l2-ctl names it: small letters and digits, with `_` between the words.
    static func name(of title: String) -> String {
        let words = title.lowercased().utf8.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte)
        }
        return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    }

    package subscript(id: UInt32) -> Entry? { entries.first { $0.control.id == id } }
    package subscript(name: String) -> Entry? { entries.first { $0.name == name } }

    /// The first of these controls that can't be set now, and why.
    func firstDisabled(of names: [String]) -> (name: String, reason: String)? {
        for name in names {
            if let reason = self[name].flatMap({ Self.reason(against: $0.control) }) { return (name, reason) }
        }
        return nil
    }

    /// Takes in a value that was read. Returns whether it is another one.
    package mutating func note(_ value: Int64, of id: UInt32) -> Bool {
        guard let place = entries.firstIndex(where: { $0.control.id == id }), entries[place].value != value
        else { return false }
        entries[place].value = value
        return true
    }

    /// What a control's wish is for the driver; nil where it is of another kind.
    package func raw(_ wish: Control.Value, of entry: Entry) -> Int64? {
        switch (entry.control.kind, wish) {
        case (.boolean, .flag(let flag)), (.button, .flag(let flag)): return flag ? 1 : 0
        case (.integer, .number(let number)), (.bitmask, .number(let number)), (.menu, .number(let number)),
            (.button, .number(let number)):
            return Int64(exactly: number.rounded())
        case (.integerMenu, .number(let number)):
            return entry.control.items.first { Self.value(of: $0, in: entry.control) == number }?.index
        default: return nil
        }
    }

    /// The controls as they are now.
    package var list: [Control] { entries.map(Self.described) }

    private static func described(_ entry: Entry) -> Control {
        let control = entry.control
        let (kind, standard, value) = parts(of: entry)
        return Control(
            entry.name, control.title, kind, unit: cv4l2_unit(control.id).map { String(cString: $0) },
            default: standard, value: value, disabledBecause: reason(against: control),
            isReadOnly: reasonForGood(against: control) != nil)
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

    /// The number of a menu's item, in the control's unit: an exposure's bias comes in thousandths of an EV.
    private static func value(of item: V4L2Control.Item, in control: V4L2Control) -> Double {
        Double(item.value ?? item.index) / (control.id == cv4l2_exposure_bias ? 1000 : 1)
    }

    /// Why a control isn't for ``CameraBackend/setControls(_:then:)``, whatever the driver says; nil: it is.
    static func reasonToLeaveToZoom(_ control: V4L2Control) -> String? {
        zoomControls.contains(control.id) ? "the node zoom drives it" : nil
    }

    private static func reason(against control: V4L2Control) -> String? {
        reasonForGood(against: control) ?? reasonNow(against: control)
    }

    /// Why a control can never be set.
    private static func reasonForGood(against control: V4L2Control) -> String? {
        if let reason = reasonToLeaveToZoom(control) { return reason }
        if control.isReadOnly { return "it can only be read" }
        switch control.kind {
        case .text: return "texts are shown only"
        case .compound: return "it has more than one value"
        default: return nil
        }
    }

    /// Why a control can't be set at the moment.
    private static func reasonNow(against control: V4L2Control) -> String? {
        if control.isDisabled { return "the driver has disabled it" }
        if control.isGrabbed { return "it can't be changed at the moment, as while the camera streams" }
        if control.isInactive { return "it is inactive: another control, such as an automatic, rules it" }
        return nil
    }
}
