@testable import Contract
@testable import FrontEnds

extension DiscoveredDevice {
    /// The camera `door` of the agent `porch`.
    ///
    /// - Parameter client: that commands prove in their topics; nil: commands prove none.
    static func door(_ info: CameraInfo, presets: [String] = [], client: String? = nil) -> DiscoveredDevice {
        DiscoveredDevice(
            identity: HomeAssistantIdentity(base: "v4l2mqtt", agent: "porch", camera: "door"),
            topics: Topics(base: "v4l2mqtt", agent: "porch"), camera: "door",
            client: client ?? "homeassistant", isProved: client != nil, version: "0.1.0", info: info,
            disabledControls: Set(info.controls.filter { !$0.enabled }.map(\.name)), presets: presets)
    }

    /// The document as it is published.
    func bytes(known: [String] = []) -> [UInt8] { JSON.bytes(JSON.object(document(known: known))) }
}

extension CameraInfo.ControlDescriptor {
    init(_ name: String, _ title: String, _ kind: String) {
        self.init(name: name, title: title, kind: kind, default: .number(0), enabled: true)
    }

    static func slider(_ name: String, _ title: String, min: Double, max: Double, step: Double) -> Self {
        var control = Self(name, title, "slider")
        (control.min, control.max, control.step) = (min, max, step)
        return control
    }

    static func discrete(_ name: String, _ title: String, _ values: [Double]) -> Self {
        var control = Self(name, title, "discrete")
        control.values = values
        return control
    }
}
