internal import Contract

/// The header of a picture, from the user properties of a preview frame.
enum PictureHeader {
    /// The largest header of a binary message in bytes: its length is written in two.
    static let maxBytes = Int(UInt16.max)
    private static let numbers: Set = ["frame", "width", "height", "factor", "optical", "rev", "boot"]
    private static let sides = ["x", "y", "width", "height"]
    /// The bytes of a value. A longer one is none that an agent writes.
    private static let maxValueBytes = 64

    /// The fields behind `number`, from a comma to the closing brace. Values that are not finite numbers are
    /// omitted. Of several properties with one name, the first valid one counts. So the length of the header
    /// has a bound.
    static func end(_ camera: CameraAddress, _ user: [(name: String, value: String)]) -> [UInt8] {
        var fields: JSONObject = ["camera": .text("\(camera)")]
        var viewport = JSONObject()
        for (name, value) in user where value.utf8.count <= maxValueBytes {
            if name == "exposed_at", value.utf8.allSatisfy(isOfTime) {
                fields[name] = fields[name] ?? .text(value)
            }
            guard let number = Double(value), number.isFinite else { continue }
            if numbers.contains(name) {
                fields[name] = fields[name] ?? .number(number)
            } else if let side = sides.first(where: { name == "viewport.\($0)" }) {
                viewport[side] = viewport[side] ?? .number(number)
            }
        }
        if viewport.count == sides.count { fields["viewport"] = .object(viewport) }
        return [UInt8(ascii: ",")] + JSON.bytes(JSON.object(fields)).dropFirst()
    }

    /// The width of a picture in pixels; nil: the frame does not say it.
    static func width(_ user: [(name: String, value: String)]) -> Int? {
        user.first { $0.name == "width" }.flatMap { Int($0.value) }
    }

    private static func isOfTime(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || "-:.TZ+".utf8.contains(byte)
    }
}
