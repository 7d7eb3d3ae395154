import Contract

@testable import FrontEnds
@testable import Settings

/// The names in an input, separated by zero bytes: model, serial, unit, then presets, qualities and titles in
/// turn.
struct Names {
    private(set) var model: String
    private(set) var serial: String
    private(set) var unit: String
    private(set) var presets: [String] = []
    private(set) var qualities: [String] = []
    private(set) var titles: [String] = []

    init(_ bytes: [UInt8]) {
        var names = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }[...]
        model = names.popFirst() ?? ""
        serial = names.popFirst() ?? ""
        unit = names.popFirst() ?? ""
        for (place, name) in names.prefix(9).enumerated() {
            switch place % 3 {
            // Clients choose names of 1 to 64 bytes, each once.
            case 0 where !name.isEmpty && !presets.contains(name): presets.append(name)
            case 1 where !name.isEmpty && !qualities.contains(name): qualities.append(name)
            default: titles.append(name)
            }
        }
    }

    /// As many names, all different and of letters and digits. A name that is not its own label in a select
    /// has a space before it, so that this one isn't either.
    var harmless: Names {
        var names = self
        (names.model, names.serial) = (model.isEmpty ? "" : "model", serial.isEmpty ? "" : "serial")
        names.unit = unit.isEmpty ? "" : "unit"
        names.presets = presets.indices.map { Self.space(for: presets[$0]) + "preset\($0)" }
        names.qualities = qualities.indices.map { Self.space(for: qualities[$0]) + "quality\($0)" }
        names.titles = titles.indices.map { "title\($0)" }
        return names
    }

    private static func space(for name: String) -> String { Select.labels([name]) == [name] ? "" : " " }

    /// A camera with a control of each kind for each title, and a picker with all of them as options.
    var info: CameraInfo {
        var controls: [CameraInfo.ControlDescriptor] = []
        for (place, title) in titles.enumerated() {
            for (kind, change) in Self.kinds {
                var control = CameraInfo.ControlDescriptor(
                    name: "\(kind)_\(place)", title: title, kind: kind, default: .number(0), enabled: true)
                control.unit = unit.isEmpty ? nil : unit
                change(&control, titles)
                controls.append(control)
                (control.readOnly, control.name) = (true, "shown_\(kind)_\(place)")
                controls.append(control)
            }
        }
        return CameraInfo(
            model: model, bus: "usb", serial: serial, nodes: [], clients: .open,
            zoom: .init(
                min: 1, max: 8, handover: [], actuators: [], upscaleFrom: 2, gestureTimeoutMilliseconds: 500,
                liveRate: 30),
            formats: [], qualities: qualities,
            recording: .init(codec: .h264, maximumSeconds: 60, audio: false, encoding: .init()),
            shutter: .init(ShutterSettings(secondary: .record, longPress: nil)),
            controls: controls)
    }

    private static let kinds: [(String, @Sendable (inout CameraInfo.ControlDescriptor, [String]) -> Void)] = [
        ("slider", { control, _ in (control.min, control.max, control.step) = (0, 255, 1) }),
        ("discrete", { control, _ in control.values = [1, 2, 4] }),
        (
            "picker",
            { control, titles in
                control.options = titles.enumerated().map { .init(value: Double($0), title: $1) }
            }
        ),
        ("toggle", { _, _ in }), ("button", { _, _ in }), ("text", { _, _ in }),
    ]
}
