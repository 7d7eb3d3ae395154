/// The payload of `preview/set`: a lease for preview frames, which the client renews, or its end.
package enum PreviewSet: Sendable, Equatable, CommandForm {
    case lease(Options)
    /// Ends the client's lease.
    case stop

    package struct Options: Sendable, Equatable, Form {
        /// Frames per second, one of ``PreviewSet/rates``.
        package var rate = 5.0
        /// Pixels, one of ``PreviewSet/widths``.
        package var width = 640
        /// How long the lease lasts, 1…3,600.
        package var seconds = 30.0

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            rate = f(
                "fps", \.rate, .within(PreviewSet.rates), default: 5, "At most.")
            width = f(
                "width", \.width, .within(PreviewSet.widths), default: 640,
                "Pixels at most.")
            seconds = f(
                "seconds", \.seconds, .within(1...3_600), default: 30,
                "Duration of the lease.")
        }
    }

    package static let widths = 16...4_096
    package static let rates = 0.1...60.0

    static var ofEmptyPayload: PreviewSet? { .lease(Options()) }

    init?(shortForm word: String) {
        guard let isOn = Bool(onOrOff: word) else { return nil }
        self = isOn ? .lease(Options()) : .stop
    }

    package init(_ f: inout some FormVisitor<Self>) {
        let stop = f.maybe(
            "stop", { $0 == .stop ? true : nil }, .onlyTrue, "Ends the client's lease.")
        let options = f.option { if case .lease(let options) = $0 { options } else { nil } } as Options?
        f.refuse(["fps", "width", "seconds"], when: .given("stop"), "not allowed with stop.")
        self = stop == nil ? .lease(options ?? Options()) : .stop
    }
}
