internal import Messages

/// The header of a picture, from the user properties of a preview frame.
enum PictureHeader {
    private static let numbers: Set = ["frame", "width", "height", "factor", "optical", "rev", "boot"]
    private static let sides = ["x", "y", "width", "height"]

    /// The fields behind `number`, from a comma to the closing brace. Values that are not finite numbers are
    /// omitted.
    static func end(_ camera: CameraName, _ user: [(name: String, value: String)]) -> [UInt8] {
        var text = #","camera":"\#(camera)""#
        var viewport: [String] = []
        for (name, value) in user {
            if numbers.contains(name), let number = Double(value), number.isFinite {
                text += #","\#(name)":\#(written(number))"#
            } else if name.hasPrefix("viewport."), let number = Double(value), number.isFinite,
                sides.contains(String(name.dropFirst("viewport.".count)))
            {
                viewport.append(#""\#(name.dropFirst("viewport.".count))":\#(written(number))"#)
            } else if name == "exposed_at", value.utf8.allSatisfy(isOfTime) {
                text += #","exposed_at":"\#(value)""#
            }
        }
        if viewport.count == sides.count { text += #","viewport":{\#(viewport.joined(separator: ","))}"# }
        return Array((text + "}").utf8)
    }

    /// A finite number as JSON.
    private static func written(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    }

    private static func isOfTime(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || "-:.TZ+".utf8.contains(byte)
    }
}
