/// The payload of `preview/set`: a lease for preview frames, which the client renews, or its end.
package enum PreviewSet: Sendable, Equatable, CommandContent {
    case lease(Options)
    /// Ends the client's lease.
    case stop

    package struct Options: Sendable, Equatable {
        /// Frames per second, one of ``PreviewSet/rates``.
        package var rate = 5.0
        /// Pixels, one of ``PreviewSet/widths``.
        package var width = 640
        /// How long the lease lasts, 1…3,600.
        package var seconds = 30.0

        package init() {}
    }

    package static let widths = 16...4_096
    package static let rates = 0.1...60.0

    static var empty: PreviewSet? { .lease(Options()) }

    init?(shortForm word: String) {
        guard let isOn = Bool(onOrOff: word) else { return nil }
        self = isOn ? .lease(Options()) : .stop
    }

    init(_ fields: inout Fields) throws(CommandError) {
        let stop = try fields.bool("stop")
        var options = Options()
        let rate = try fields.number("fps", in: Self.rates)
        let width = try fields.integer("width", in: Self.widths)
        let seconds = try fields.number("seconds", in: 1...3_600)
        try fields.refuseOthers()
        if stop == false { throw fields.error("stop", "the only allowed value is true.") }
        if stop == true {
            try fields.refuse("fps", "width", "seconds", because: "not allowed with stop.")
            self = .stop
            return
        }
        options.rate = rate ?? options.rate
        options.width = width ?? options.width
        options.seconds = seconds ?? options.seconds
        self = .lease(options)
    }
}
