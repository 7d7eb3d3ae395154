/// The state of `session`: quality, size and rate of the frames.
package struct SessionState: Sendable, Equatable {
    var quality: String
    var width: Int
    var height: Int
    var rate: Double
    var pixelFormat: String

    package init(quality: String, width: Int, height: Int, rate: Double, pixelFormat: String) {
        (self.quality, self.width, self.height) = (quality, width, height)
        (self.rate, self.pixelFormat) = (rate, pixelFormat)
    }
}

extension SessionState: StateForm {
    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        quality = f("quality", \.quality, .id, "In effect.")
        width = f("width", \.width, .pixels, "Pixels.")
        height = f("height", \.height, .pixels, "Pixels.")
        rate = f("fps", \.rate, .above(0), "As the driver reports it.")
        pixelFormat = f("pixel_format", \.pixelFormat, .pixelFormat, "V4L2's code, with `-BE` if big-endian.")
    }
}
