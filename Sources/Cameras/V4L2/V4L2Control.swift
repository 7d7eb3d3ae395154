internal import CV4L2

/// A control as the driver describes it.
struct V4L2Control: Sendable, Equatable {
    struct Item: Sendable, Equatable {
        let index: Int64
        let title: String
        /// The number, in a menu of numbers.
        var value: Int64?
    }

    enum Kind: Sendable, Equatable {
        case integer, boolean, menu, integerMenu, button, bitmask, text, heading, compound
    }

    var id: UInt32
    var kind: Kind
    var title: String
    var minimum: Int64 = 0
    var maximum: Int64 = 0
    var step: Int64 = 1
    var standard: Int64 = 0
    var items: [Item] = []
    var isDisabled = false
    var isInactive = false
    var isGrabbed = false
    var isReadOnly = false
    var isWriteOnly = false
    /// Whether the configuration of the orientation determines its value.
    var isOfOrientation = false
}

extension V4L2Control {
    init(_ found: cv4l2_control, items: [Item]) {
        self.init(
            id: found.id, kind: Kind(found), title: deviceText(found.name), minimum: found.minimum,
            maximum: found.maximum, step: found.step, standard: found.standard, items: items)
        (isDisabled, isInactive, isGrabbed) = (found.disabled, found.inactive, found.grabbed)
        (isReadOnly, isWriteOnly) = (found.read_only, found.write_only)
    }
}

extension V4L2Control.Kind {
    /// By V4L2's numbers of the types.
    private static let all: [Self] = [
        .compound, .integer, .boolean, .menu, .button, .integer, .heading, .text, .bitmask, .integerMenu,
    ]

    init(_ found: cv4l2_control) {
        self = found.is_array || found.type >= Self.all.count ? .compound : Self.all[Int(found.type)]
    }
}
