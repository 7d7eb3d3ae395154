internal import Base
internal import Contract
internal import ZoomModel

extension PresetsState {
    /// The output of `ctl preset list`.
    var lines: [PrintableLine] {
        var table = TextTable(["NAME", "ZOOM", "MIDDLE", "CONTROLS"])
        // The state has `home` only after another view was saved under this name.
        if presets[PresetsSet.home] == nil { table.add([marked(PresetsSet.home), "widest", "", ""]) }
        for (name, preset) in presets.sorted(by: { $0.key < $1.key }) {
            let controls = preset.controls.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.text)" }
            table.add([
                marked(name), preset.factor.roundedText + "×",
                "\(preset.center.x.roundedText),\(preset.center.y.roundedText)",
                controls.joined(separator: " "),
            ])
        }
        return table.lines
    }

    /// The name, with a star if it is the current view.
    private func marked(_ name: String) -> String { name + (name == current ? " *" : "") }
}
