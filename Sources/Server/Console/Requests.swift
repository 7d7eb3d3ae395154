internal import Base
internal import Bus
internal import Contract

/// What comes back for a command.
enum RequestResult {
    /// An answer of the contract, as JSON.
    case answer([UInt8], Reply.Status)
    /// A file as the answer: a photo or a part of one, with its user properties.
    case file(type: String, [UInt8], user: [(name: String, value: String)])
    /// The connection to the broker ended; the answer never comes.
    case lost
    /// No answer came in time.
    case expired
}

/// Commands that are not answered completely. It calls no handler itself: a handler may send the next
/// command.
struct Requests {
    /// What is to be called with an answer.
    typealias Handler = (RequestResult) -> Void

    private struct Request {
        /// By which an agent without MQTT 5 answers.
        let id: String
        let camera: CameraAddress
        /// The page that sent it, or the download.
        let owner: String
        /// Files that are expected; the last one is the final answer.
        var files: Int
        let time: ContinuousClock.Instant
        /// Whether the camera has said that it carries out the command.
        var isAccepted = false
        let handle: Handler

        func isExpired(at now: ContinuousClock.Instant) -> Bool {
            now - time > (isAccepted ? Requests.lifetime : Requests.acceptanceTime)
        }
    }

    /// Commands of one page that are not answered.
    private static let maxOfOwner = 64
    /// The random bytes of the correlation data of a request.
    private static let correlationBytes = 12
    /// The longest type of a file that answers a command.
    private static let maxTypeBytes = 255
    /// The time for the first answer: a camera answers at once, and with `accepted` if the rest takes long.
    private static let acceptanceTime = Duration.seconds(30)
    /// The time for the final answer: a recording, or a series of photos, may take long.
    private static let lifetime = Duration.seconds(3_600)

    /// By their correlation data.
    private var requests: [String: Request] = [:]

    /// Why a command is not added; nil: it may be.
    func refusal(of id: String, owner: String) -> CommandError? {
        guard !requests.values.contains(where: { $0.id == id }) else {
            return CommandError(.busy, "an earlier command with this id is not answered yet")
        }
        guard requests.values.count(where: { $0.owner == owner }) < Self.maxOfOwner else {
            return CommandError(.busy, "\(Self.maxOfOwner) commands of this page are not answered yet")
        }
        return nil
    }

    /// - Parameter files: how many files are expected; less than one counts as one.
    /// - Returns: the correlation data. It is random: all agents answer at one topic, and one of them could
    ///   otherwise answer in the place of another.
    mutating func add(
        _ id: String, of camera: CameraAddress, owner: String, files: Int, at time: ContinuousClock.Instant,
        _ handle: @escaping Handler
    ) -> String {
        let correlation = Base64URL.text(of: SecretBytes.random(count: Self.correlationBytes))
        requests[correlation] = Request(
            id: id, camera: camera, owner: owner, files: max(1, files), time: time, handle: handle)
        return correlation
    }

    /// Takes a message that came as an answer. Nothing is parsed that no request waits for.
    ///
    /// - Parameter camera: whose topic it has; nil: the common topic of answers.
    /// - Returns: calls the handler of the request; nil: the answer is not expected, or too large.
    mutating func take(_ message: BusMessage, of camera: CameraAddress?) -> (() -> Void)? {
        let correlation = message.correlation.map { String(decoding: $0, as: UTF8.self) }
        if let correlation {
            guard let request = requests[correlation], camera == nil || camera == request.camera else {
                return nil
            }
        } else {
            guard requests.values.contains(where: { $0.camera == camera }) else { return nil }
        }
        if let type = message.contentType, type != "application/json", let correlation {
            // The type becomes a part of the header of a binary message.
            guard type.utf8.count <= Self.maxTypeBytes else { return nil }
            let handle = take(correlation) { request in
                request.files -= 1
                return request.files == 0
            }
            return handle.map { handle in { handle(.file(type: type, message.payload, user: message.user)) } }
        }
        guard message.payload.count <= MessageLimits.answer, let fields = JSON(message.payload)?.object,
            let key = correlation ?? key(ofID: fields["id"]?.text, camera)
        else { return nil }
        let status = fields["status"]?.text.flatMap(Reply.Status.init) ?? .done
        let handle = take(key) { _ in status != .accepted }
        return handle.map { handle in { handle(.answer(message.payload, status)) } }
    }

    private func key(ofID id: String?, _ camera: CameraAddress?) -> String? {
        requests.first { $0.value.id == id && $0.value.camera == camera }?.key
    }

    /// - Parameter isFinal: whether no further answer is expected.
    private mutating func take(_ correlation: String, isFinal: (inout Request) -> Bool) -> Handler? {
        guard var request = requests[correlation] else { return nil }
        request.isAccepted = true
        requests[correlation] = isFinal(&request) ? nil : request
        return request.handle
    }

    mutating func remove(owner: String) { requests = requests.filter { $0.value.owner != owner } }

    /// Forgets the requests that are too old, and returns their handlers.
    mutating func expire(at time: ContinuousClock.Instant) -> [Handler] {
        let old = requests.filter { $0.value.isExpired(at: time) }
        for id in old.keys { requests[id] = nil }
        return old.values.map(\.handle)
    }

    /// Forgets all requests, and returns their handlers.
    mutating func removeAll() -> [Handler] {
        defer { requests = [:] }
        return requests.values.map(\.handle)
    }
}
