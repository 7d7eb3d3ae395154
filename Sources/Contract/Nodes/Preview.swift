package import ZoomModel

extension Node {
    package static var preview: Node { Node(Preview.self) }

    /// Live frames, while a client has a lease on them.
    package enum Preview: NodeContract {
        package typealias Command = PreviewSet
        package typealias State = PreviewState
        package static var name: String { "preview" }
        package static var isNullable: Bool { true }

        /// The console has a lease of its own for all pages.
        package static func role(for payload: JSONObject) -> Role? { nil }
    }
}

/// The payload of `preview/set`: a lease for preview frames, which the client renews, or its end.
package enum PreviewSet: CommandForm {
    case lease(Options)
    /// Ends the client's lease.
    case stop

    package var policy: CommandPolicy {
        CommandPolicy(needsDevice: self != .stop, runsOnce: false, isRateLimited: self != .stop)
    }

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
                "fps", \.rate, .within(PreviewSet.rates), default: rate, "At most.")
            width = f(
                "width", \.width, .within(PreviewSet.widths), default: width,
                "Pixels at most.")
            seconds = f(
                "seconds", \.seconds, .within(1...3_600), default: seconds,
                "Duration of the lease.")
        }
    }

    package static let widths = 16...4_096
    package static let rates = 0.1...60.0

    package static var ofEmptyPayload: PreviewSet? { .lease(Options()) }

    package init?(shortForm word: String) {
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

/// The state of `preview` while a client has a preview; otherwise `null`.
package struct PreviewState: StateForm {
    var fps: Double
    var width: Int
    var until: String
    var clients: [String]
    var provedClients: [String]
    var live: Bool
    var error: CommandError?

    /// - Parameter clients: in any order.
    package init(
        fps: Double, width: Int, until: String, clients: [ClientIdentity], live: Bool,
        error: CommandError? = nil
    ) {
        (self.fps, self.width, self.until) = (fps, width, until)
        self.clients = Set(clients.map(\.name)).sorted()
        provedClients = clients.filter(\.isProved).map(\.name).sorted()
        (self.live, self.error) = (live, error)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        fps = f("fps", \.fps, .above(0), "The most that was requested.")
        width = f("width", \.width, .pixels, "The most that was requested.")
        until = f("until", \.until, .stamp, "End of the last lease.")
        clients = f(
            "clients", \.clients, .each(.identity),
            "Who has one; `v4l2mqtt`: the agent itself.")
        provedClients = f(
            "proved_clients", \.provedClients, .each(.identity), "Those that are proved.")
        live = f("live", \.live, .any, "Frames are published.")
        error = f.maybe("error", \.error, .any, "Why no frames are published.")
    }
}
