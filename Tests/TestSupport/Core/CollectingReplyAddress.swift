package import Contract
internal import Core

/// Keeps the answers to one request.
package final class CollectingReplyAddress: ReplyAddress {
    package enum Answer: Sendable {
        case reply([UInt8])
        /// One photo of a request with `reply: image`.
        case photo(PhotoFields, id: String?)
        /// A part of a file.
        case part([UInt8], MediaPartFields, id: String?)

        /// Whether no other answer may follow: `done`, `superseded` or `error`, or the last photo of a
        /// series.
        package var isFinal: Bool {
            switch self {
            case .reply(let bytes): !Self.accepted.isContained(in: bytes)
            case .photo(let fields, _): fields.index == fields.of
            case .part: true
            }
        }

        private static let accepted = [UInt8](#""status":"accepted""#.utf8)
    }

    package let acceptsPhotos: Bool
    /// In order.
    package private(set) var answers: [Answer] = []
    /// Called with each answer after it was added.
    package var answered: (Answer) -> Void = { _ in }
    private let node: Node
    private let camera: String
    private let isWritten: Bool

    /// - Parameter isWritten: see ``CollectingFrontEnd/init(isWritten:)``.
    package init(_ node: Node, camera: String, acceptsPhotos: Bool = true, isWritten: Bool = true) {
        (self.node, self.camera) = (node, camera)
        (self.acceptsPhotos, self.isWritten) = (acceptsPhotos, isWritten)
    }

    /// All answers but photos.
    package var replies: [Reply] {
        answers.compactMap { answer in
            if case .reply(let bytes) = answer { JSON.value(Reply.self, from: bytes) } else { nil }
        }
    }

    package var statuses: [Reply.Status] { replies.map(\.status) }

    package var photos: [PhotoFields] {
        answers.compactMap { if case .photo(let fields, _) = $0 { fields } else { nil } }
    }

    package var parts: [(bytes: [UInt8], fields: MediaPartFields)] {
        answers.compactMap { if case .part(let bytes, let fields, _) = $0 { (bytes, fields) } else { nil } }
    }

    package var last: Reply? { replies.last }

    /// Whether a final answer came.
    package var isFinished: Bool { answers.contains(where: \.isFinal) }

    /// The final answer, if it is a reply.
    package var final: Reply? { replies.first { $0.status != .accepted } }

    /// The error of the final answer.
    package var error: CommandError? { final?.error }

    package func send(_ reply: [UInt8]) {
        if isWritten { MessageFile.add(reply: reply, of: node, camera: camera) }
        add(.reply(reply))
    }

    package func send(photo: [UInt8], _ fields: PhotoFields, id: String?) { add(.photo(fields, id: id)) }

    package func send(part: [UInt8], _ fields: MediaPartFields, id: String?) {
        add(.part(part, fields, id: id))
    }

    private func add(_ answer: Answer) {
        answers.append(answer)
        answered(answer)
    }
}

extension [UInt8] {
    /// Whether these bytes stand in others. A text inside of JSON can't contain them, as its quotation marks
    /// are escaped.
    fileprivate func isContained(in bytes: [UInt8]) -> Bool {
        guard count <= bytes.count else { return false }
        return (0...bytes.count - count).contains { place in
            bytes[place] == self[0] && bytes[place..<place + count] == self[...]
        }
    }
}
