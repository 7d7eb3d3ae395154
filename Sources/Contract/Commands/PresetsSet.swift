/// The payload of `presets/set`: saves, shows or deletes a named view.
package enum PresetsSet: Sendable, Equatable, CommandContent {
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

    init(_ fields: inout Fields) throws(CommandError) {
        let save = try fields.text("save", atMost: 64)
        let go = try fields.text("go", atMost: 64)
        let delete = try fields.text("delete", atMost: 64)
        let rate = try fields.positive("rate")
        try fields.refuseOthers()
        if let save, save.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw fields.error("save", "control characters are not allowed in a name.")
        }
        switch (save, go, delete) {
        case (let name?, nil, nil): self = .save(name)
        case (nil, let name?, nil): self = .go(name, rate: rate)
        case (nil, nil, let name?): self = .delete(name)
        default:
            throw CommandError(.badPayload, "Send exactly one of save, go and delete, each with a name.")
        }
        if rate != nil, go == nil { throw fields.error("rate", "allowed only with go.") }
    }
}
