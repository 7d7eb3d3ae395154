package import HomeAssistant
package import Messages

extension DiscoveredDevice {
    /// A camera as its `info` describes it.
    ///
    /// - Parameter disabledControls: the names of the controls that are or were disabled for another reason
    ///   than that the camera was private.
    package init(
        _ info: CameraInfo, disabledControls: Set<String>, identity: HomeAssistantIdentity,
        topics: CameraTopics, client: String, version: String, presets: [String]
    ) {
        self.init(
            identity: identity, topics: topics, client: client, model: info.model, serial: info.serial,
            version: version, zoom: info.zoom.min...info.zoom.max, qualities: info.qualities,
            presets: presets,
            controls: info.controls.compactMap {
                DiscoveredControl($0, isSometimesDisabled: disabledControls.contains($0.name))
            })
    }
}

extension DiscoveredControl {
    fileprivate init?(_ control: CameraInfo.ControlDescriptor, isSometimesDisabled: Bool) {
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
            control.name, control.title, kind, unit: control.unit, isReadOnly: control.readOnly ?? false,
            isSometimesDisabled: isSometimesDisabled)
    }
}
