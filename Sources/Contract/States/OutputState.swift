/// The state of `output`: a virtual camera, on which other programs see what is in view.
package struct OutputState: Sendable, Equatable {
    package enum Word: String, Sendable, FieldWord {
        /// The device is being opened.
        case starting
        /// Pictures are written to the device.
        case running
        /// No program reads the device, so nothing is written.
        case idle
        /// The device can't be used; it is tried again.
        case failed
    }

    package enum Content: String, Sendable, FieldWord { case camera, black }

    package var state: Word
    var device: String
    /// Nil, like what follows: the device isn't open.
    package var width: Int?
    package var height: Int?
    package var pixelFormat: String?
    package var fps: Double?
    package var shows: Content?
    package var isRead: Bool?
    package var error: CommandError?

    package init(_ state: Word, device: String) { (self.state, self.device) = (state, device) }
}

extension OutputState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        state = f("state", \.state, .any, "`idle`: no program reads the device.")
        device = f("device", \.device, .filled, "Its path, as configured.")
        width = f.maybe("width", \.width, .from(2), "Absent: it isn't open.")
        height = f.maybe("height", \.height, .from(2), "Absent: it isn't open.")
        fps = f.maybe("fps", \.fps, .above(0), "Pictures per second.")
        shows = f.maybe("shows", \.shows, .any, "`black`: there are no pictures.")
        pixelFormat = f.maybe(
            "pixel_format", \.pixelFormat, .oneOf("YUYV", "UYVY", "NV12", "YU12", "YV12"),
            "V4L2's four-character code.")
        isRead = f.maybe(
            "read", \.isRead, .any, "A program reads it; absent: unknown.")
        error = f.maybe("error", \.error, .any, "With `failed`.")
        f.demand("error", when: .equal("state", .text("failed")), "required with \"failed\".")
        f.refuse(["error"], when: .unequal("state", .text("failed")), "allowed only with \"failed\".")
    }
}

/// What is kept of a virtual camera.
package struct SavedOutput: SavedPart {
    /// True: a virtual camera was configured, so its state was published. Nil: there was none.
    package var hasOutput: Bool?

    package init() {}

    package init(_ f: inout some FormVisitor<Self>) {
        hasOutput = f.maybe("hasOutput", \.hasOutput, .any, "Whether a virtual camera was configured.")
    }
}
