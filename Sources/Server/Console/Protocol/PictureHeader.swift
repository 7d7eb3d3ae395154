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
        var text = #","camera":"\#(camera)""#
        var viewport: [String] = []
        var taken: Set<String> = []
        for (name, value) in user where value.utf8.count <= maxValueBytes && !taken.contains(name) {
            if numbers.contains(name), let number = finite(value) {
                text += #","\#(name)":\#(written(number))"#
            } else if let side = sides.first(where: { name == "viewport.\($0)" }), let number = finite(value)
            {
                viewport.append(#""\#(side)":\#(written(number))"#)
            } else if name == "exposed_at", value.utf8.allSatisfy(isOfTime) {
                text += #","exposed_at":"\#(value)""#
            } else {
                continue
            }
            taken.insert(name)
        }
        if viewport.count == sides.count { text += #","viewport":{\#(viewport.joined(separator: ","))}"# }
        return Array((text + "}").utf8)
    }

    /// The width of a picture in pixels; nil: the frame does not say it.
    static func width(_ user: [(name: String, value: String)]) -> Int? {
        user.first { $0.name == "width" }.flatMap { Int($0.value) }
    }

    private static func finite(_ value: String) -> Double? {
        Double(value).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A finite number as JSON.
    private static func written(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    }

    private static func isOfTime(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || "-:.TZ+".utf8.contains(byte)
    }
}
