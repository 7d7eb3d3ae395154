/// The payload of `controls/set`: values by the names of the camera's controls. All are set, or none.
package struct ControlsSet: Sendable, Equatable, CommandForm {
    static let mayHaveTime = true

    package let values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }

    package init(_ f: inout some FormVisitor<Self>) {
        let values = f.others(\.values, .any, "Value of the control with this name in `info`.")
        f.check(
            !values.isEmpty, nil, "Name at least one control and its value, as {\"brightness\": 128}.")
        self.values = values
    }
}
/// The value of a control: a number, or, for a toggle, on or off.
package enum ControlValue: Sendable, Equatable, Codable {
    case number(Double)
    case flag(Bool)
    /// Of a control that is shown only.
    case text(String)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .text(let text): try container.encode(text)
        }
    }
}
