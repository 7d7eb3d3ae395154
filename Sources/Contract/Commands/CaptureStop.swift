/// The payload of `capture/set` that ends captures of its client: those that wait, and series.
package struct CaptureStop: Sendable, Equatable {
    /// The `id` of the command that is to be ended; nil: all of the client.
    package var capture: String?

    init(_ capture: String? = nil) { self.capture = capture }

    static let names = ["stop", "capture"]

    init(_ fields: inout Fields) throws(CommandError) {
        let stop = try fields.bool("stop")
        capture = try fields.text("capture", atMost: 64)
        try fields.refuseOthers()
        if stop != true { throw fields.error("stop", "the only allowed value is true.") }
    }
}
