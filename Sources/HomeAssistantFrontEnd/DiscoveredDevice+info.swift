package import HomeAssistant
package import Messages

extension DiscoveredDevice {
    /// A camera as its `info` describes it.
    package init(
        _ info: CameraInfo, identity: HomeAssistantIdentity, topics: CameraTopics, client: String,
        version: String, presets: [String]
    ) {
        self.init(
            identity: identity, topics: topics, client: client, model: info.model, serial: info.serial,
            version: version, zoom: info.zoom.min...info.zoom.max, qualities: info.qualities,
            presets: presets, controls: info.controls.compactMap(DiscoveredControl.init))
    }
}

extension DiscoveredControl {
    fileprivate init?(_ control: CameraInfo.ControlDescriptor) {
        let kind: Kind
        switch control.kind {
        case "slider":
            guard let min = control.min, let max = control.max, let step = control.step else { return nil }
            kind = .slider(min: min, max: max, step: step)
        case "discrete": kind = .discrete(control.values ?? [])
        case "picker":
            kind = .picker((control.options ?? []).map { Option(value: $0.value, title: $0.title) })
        case "toggle": kind = .toggle
        case "button": kind = .button
        case "text": kind = .text
        default: return nil
        }
        self.init(
            control.name, control.title, kind, unit: control.unit, isReadOnly: control.readOnly ?? false)
    }
}
