/// The payload of `presets/set`: saves, shows or deletes a named view.
package enum PresetsSet: Sendable, Equatable, CommandForm {
    static let mayHaveTime = true

    /// Save the present view under this name.
    case save(String)
    /// Show the preset; `rate` in octaves per second, above 0; nil: without a ramp.
    case go(String, rate: Double?)
    /// Delete the preset.
    case delete(String)

    /// The preset that always exists: the widest factor, centred, motors at their defaults, unless a client
    /// saved another one under this name.
    package static let home = "home"

    package init(_ f: inout some FormVisitor<Self>) {
        let save = f.option(
            "save", { if case .save(let name) = $0 { name } else { nil } }, .upTo(64, .line),
            "Saves the present view.")
        let go = f.option(
            "go", { if case .go(let name, _) = $0 { name } else { nil } }, .upTo(64),
            "Shows the preset.")
        let delete = f.option(
            "delete", { if case .delete(let name) = $0 { name } else { nil } }, .upTo(64),
            "Deletes the preset.")
        let rate = f.maybe(
            "rate", { if case .go(_, let rate) = $0 { rate } else { nil } }, .above(0), FormText.rate)
        self =
            f.one(
                save.map(Self.save), go.map { .go($0, rate: rate) }, delete.map(Self.delete),
                else: "Send exactly one of save, go and delete, each with a name.") ?? .save("")
        f.only("rate", with: "go")
    }
}
