/// What comes back for a command.
package enum RequestResult {
    /// An answer of the contract, as JSON.
    case answer([UInt8], isFinal: Bool)
    /// A file as the answer: a photo or a part of one, with its user properties.
    case file(type: String, [UInt8], user: [(name: String, value: String)])
    /// The connection to the broker ended; the answer never comes.
    case lost
}

/// Commands that are not answered completely.
struct Requests {
    private struct Request {
        let page: String?
        /// Files that are expected; the last one is the final answer.
        var photos: Int
        let time: ContinuousClock.Instant
        let handle: (RequestResult) -> Void
    }

    /// A page that has more has its oldest ones forgotten.
    private static let maxOfPage = 64
    /// A recording, or a series of photos, may take long.
    private static let lifetime = Duration.seconds(3_600)

    private var requests: [String: Request] = [:]

    mutating func add(
        _ id: String, page: String?, photos: Int, at time: ContinuousClock.Instant,
        _ handle: @escaping (RequestResult) -> Void
    ) {
        let ofPage = requests.filter { $0.value.page == page }
        if ofPage.count >= Self.maxOfPage, let oldest = ofPage.min(by: { $0.value.time < $1.value.time }) {
            requests[oldest.key] = nil
        }
        requests[id] = Request(page: page, photos: photos, time: time, handle: handle)
    }

    mutating func take(_ id: String, _ payload: [UInt8], isFinal: Bool) {
        guard let request = requests[id] else { return }
        if isFinal { requests[id] = nil }
        request.handle(.answer(payload, isFinal: isFinal))
    }

    mutating func takeFile(
        _ id: String, _ type: String, _ bytes: [UInt8], _ user: [(name: String, value: String)]
    ) {
        guard let request = requests[id] else { return }
        requests[id]?.photos -= 1
        if request.photos <= 1 { requests[id] = nil }
        request.handle(.file(type: type, bytes, user: user))
    }

    mutating func remove(page: String) { requests = requests.filter { $0.value.page != page } }

    mutating func expire(at time: ContinuousClock.Instant) {
        guard requests.contains(where: { time - $0.value.time > Self.lifetime }) else { return }
        requests = requests.filter { time - $0.value.time <= Self.lifetime }
    }

    mutating func loseAll() {
        let lost = requests.values
        requests = [:]
        for request in lost { request.handle(.lost) }
    }
}
