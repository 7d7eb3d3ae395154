package import Bus

extension BusEvent {
    /// A line for the log; nil: the event needs none.
    package var logLine: String? {
        switch self {
        case .connected(let session):
            (["info: connected to the broker \(session.summary)"] + session.warnings).joined(separator: "; ")
        case .disconnected(let reason, let delay):
            "warning: no connection to the broker \(reason); next attempt in \(delay.inSeconds)"
        case .subscriptionRefused(let filter): "warning: the broker refuses the subscription to \(filter)"
        case .subscribed: nil
        }
    }
}
