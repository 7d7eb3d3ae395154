internal import Base
internal import Contract
internal import ZoomModel

/// The output of `ctl preset list`.
enum PresetTable {
    /// - Parameter payload: the camera's state of `presets`.
    /// - Returns: nil if it can't be read.
    static func lines(_ payload: [UInt8], json: Bool) -> [PrintableLine]? {
        guard let state = JSON.value(Stamped<PresetsState>.self, from: payload)?.value else { return nil }
        guard json else { return lines(state) }
        return JSON.objectOrNull(payload).map { [JSON.line($0)] }
    }

    private static func lines(_ state: PresetsState) -> [PrintableLine] {
        var table = TextTable(["NAME", "ZOOM", "MIDDLE", "CONTROLS"])
        // The state has `home` only after another view was saved under this name.
        if state.presets[PresetsSet.home] == nil {
            table.add([marked(PresetsSet.home, state), "widest", "", ""])
        }
        for (name, preset) in state.presets.sorted(by: { $0.key < $1.key }) {
            let controls = preset.controls.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.text)" }
            table.add([
                marked(name, state), preset.factor.roundedText + "×",
                "\(preset.center.x.roundedText),\(preset.center.y.roundedText)",
                controls.joined(separator: " "),
            ])
        }
        return table.lines
    }

    /// The name, with a star if it is the current view.
    private static func marked(_ name: String, _ state: PresetsState) -> String {
        name + (name == state.current ? " *" : "")
    }
}
