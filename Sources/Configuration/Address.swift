/// The key that the name of a variable, or the path in a flag, denotes.
struct Address {
    let key: Key
    /// The number of the camera, from 0.
    let camera: Int?

    /// The address of an environment variable, such as `V4L2MQTT_CAMERAS_0_ZOOM_MAX`.
    init?(variable: String) { self.init(variable, separator: "_", spelling: variableName(ofPath:)) }

    /// The address of a path, such as `cameras.0.zoom.max`.
    init?(path: String) { self.init(path, separator: ".") { $0 } }

    /// Names of keys contain underscores, so the name can't be split: each key of the table is tried.
    private init?(_ name: String, separator: Character, spelling: (_ path: String) -> String) {
        let camera = Self.camera(in: name, separator: separator)
        let key = Keys.all.first { key in
            spelling(key.path(camera: camera)) == name || key.shortForm.map(spelling) == name
        }
        guard let key else { return nil }
        (self.key, self.camera) = (key, key.isOfCamera ? camera : nil)
    }

    /// The camera's number in a name; 0 if there is none.
    static func camera(in name: String, separator: Character) -> Int {
        name.split(separator: separator).lazy.compactMap { Int($0) }.first { 0...9_999 ~= $0 } ?? 0
    }
}

/// The prefix of all environment variables of the agent.
let environmentPrefix = "V4L2MQTT_"

/// The name of the environment variable for a path such as `cameras.0.zoom.max`.
func variableName(ofPath path: String) -> String {
    environmentPrefix + path.split(separator: ".").joined(separator: "_").uppercased()
}
