/// How a layer names keys.
struct Spelling: Sendable {
    let separator: Character
    /// The name for a path.
    let name: @Sendable (_ path: String) -> String

    /// As `cameras.0.zoom.max`.
    static let path = Spelling(separator: ".") { $0 }
    /// As `V4L2MQTT_CAMERAS_0_ZOOM_MAX`.
    static let variable = Spelling(separator: "_") {
        environmentPrefix + $0.split(separator: ".").joined(separator: "_").uppercased()
    }

    /// The camera's number in a name; 0 if there is none.
    func camera(in name: String) -> Int {
        name.split(separator: separator).lazy.compactMap { Int($0) }.first { 0...9_999 ~= $0 } ?? 0
    }
}

/// The prefix of all environment variables of the agent.
let environmentPrefix = "V4L2MQTT_"

/// The key that the name of a variable, or the path in a flag, denotes.
struct Address {
    let key: Key
    /// The number of the camera, from 0.
    let camera: Int?

    /// Names of keys contain underscores, so a variable can't be split: each key of the table is tried.
    init?(_ name: String, _ spelling: Spelling) {
        let camera = spelling.camera(in: name)
        let key = Keys.all.first { key in
            spelling.name(key.path(camera: camera)) == name || key.shortPath.map(spelling.name) == name
        }
        guard let key else { return nil }
        (self.key, self.camera) = (key, key.isOfCamera ? camera : nil)
    }
}
