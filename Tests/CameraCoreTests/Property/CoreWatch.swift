import Core
import TestSupport
import ZoomModel

@testable import Contract

/// A request and its answers.
final class WatchedRequest: CustomStringConvertible {
    let description: String
    private let address: CollectingReplyAddress
    /// One sample among many: answered only when it fails.
    private let isQuiet: Bool
    private let mayHavePhotos: Bool
    private let mayHaveAPart: Bool
    private(set) var isFinished = false

    init(_ node: Node, _ json: String, _ address: CollectingReplyAddress, _ command: Command) {
        description = "\(node.name)/set \(json)"
        self.address = address
        let hasID = command.envelope.id != nil
        switch try? command.body.get() {
        case let pinch as PinchSample: isQuiet = !hasID && pinch.phase == .changed
        case let touch as TouchSample: isQuiet = !hasID && touch.touches.allSatisfy { $0.phase == .moved }
        default: isQuiet = false
        }
        if case .get? = try? command.body.get() as? MediaSet {
            mayHaveAPart = address.acceptsPhotos
        } else {
            mayHaveAPart = false
        }
        let reply: CaptureSet.ReplyKind? =
            switch try? command.body.get() as? CaptureCommand {
            case .photos(let capture): capture.reply
            case .press(let press): press.photo.reply
            default: nil
            }
        mayHavePhotos = reply == .image && address.acceptsPhotos
    }

    /// Whether no answer is due any more.
    var isComplete: Bool { isFinished || isQuiet }

    /// Takes an answer; returns what is wrong with it.
    func take(_ answer: CollectingReplyAddress.Answer) -> String? {
        if isFinished { return "an answer after the final one to \(self)" }
        isFinished = answer.isFinal
        switch answer {
        case .photo: return mayHavePhotos ? nil : "a photo in answer to \(self)"
        case .part: return mayHaveAPart ? nil : "a part of a file in answer to \(self)"
        case .reply(let bytes):
            let isError = bytes.contains(#""status":"error""#)
            return isQuiet && !isError ? "a sample is answered: \(self)" : nil
        }
    }
}

/// Checks what is published.
struct CoreWatch {
    private let plant: PlantedFault?
    private var lastRev = 0
    /// What the states of ``counted`` showed, without their stamps.
    private var shown: [Channel: Set<ArraySlice<UInt8>>] = [:]
    private var zoomRev = 0
    /// Whether frames are recorded, by the state of the recording.
    private(set) var isRecording = false
    /// According to the state of `privacy`.
    private(set) var isPrivate = false

    init(_ plant: PlantedFault?) { self.plant = plant }

    /// - Parameters:
    ///   - rev: the number of the camera's last change.
    ///   - readBack: the optical factor that the lens reported last; nil: without a device.
    mutating func published(
        _ message: CollectedMessage, rev: Int, readBack: Double?
    ) -> (invariant: CoreBreach.Invariant, words: String)? {
        if isPrivate && message.kind.isPicture {
            return (.privacy, "\(message.kind) is published after the state is ON")
        }
        if message.kind == .sample(.zoomSample), let number = message.bytes.number(after: #""rev":"#),
            Int(number) != zoomRev
        {
            return (.revisions, "a sample has rev \(number), the state of the zoom \(zoomRev)")
        }
        guard case .state(let channel) = message.kind else { return nil }
        if channel == .node(.privacy) { isPrivate = message.bytes.contains(#""state":"ON""#) }
        if channel == .node(.recording) {
            isRecording =
                message.bytes.contains(#""state":"starting""#)
                || message.bytes.contains(#""state":"recording""#)
        }
        if let words = revision(message.bytes, channel, rev) { return (.revisions, words) }
        if channel == .node(.zoom), let readBack,
            let optical = message.bytes.number(after: #""optical":"#), optical != readBack.forMessages
        {
            return (.readBack, "optical \(optical) is published, \(readBack) was read back")
        }
        return nil
    }

    /// The states whose changes are changes of the camera: each has a `rev` of its own.
    private static let counted: Set<Channel> = [.node(.zoom), .node(.controls), .node(.session)]

    private mutating func revision(_ bytes: [UInt8], _ channel: Channel, _ rev: Int) -> String? {
        guard let number = bytes.number(after: #""rev":"#) else { return nil }
        let published = plant?.revision(Int(number)) ?? Int(number)
        defer { lastRev = max(lastRev, published) }
        if published != rev { return "\(channel) has rev \(published), the camera \(rev)" }
        if channel == .node(.zoom) { zoomRev = Int(number) }
        if Self.counted.contains(channel), let stamp = bytes.place(after: #""rev":"#) {
            // Fields of a dictionary come in any order.
            let fields = Set(bytes[..<stamp].split { $0 == 0x2C || $0 == 0x7B || $0 == 0x7D })
            let isChanged = shown.updateValue(fields, forKey: channel) != fields
            if isChanged { return published > lastRev ? nil : "\(channel) has rev \(published) again" }
        }
        return published == lastRev || lastRev == 0 ? nil : "\(channel) has a rev of its own: \(published)"
    }
}

extension CollectedMessage.Kind {
    /// Whether the message has the data of a picture.
    fileprivate var isPicture: Bool { self == .photo || self == .frame }
}

extension [UInt8] {
    func contains(_ text: StaticString) -> Bool { place(after: text) != nil }

    /// The number that follows a text. A text inside of JSON can't contain the text, as its quotation marks
    /// are escaped.
    func number(after text: StaticString) -> Double? {
        guard let place = place(after: text) else { return nil }
        let digits = self[place...].prefix { byte in
            (0x30...0x39).contains(byte) || byte == 0x2E || byte == 0x2D || byte == 0x65
        }
        return Double(String(decoding: digits, as: UTF8.self))
    }

    fileprivate func place(after text: StaticString) -> Int? {
        let length = text.utf8CodeUnitCount
        guard count >= length else { return nil }
        return withUnsafeBufferPointer { bytes in
            for start in 0...bytes.count - length where bytes[start] == text.utf8Start[0] {
                var index = 1
                while index < length && bytes[start + index] == text.utf8Start[index] { index += 1 }
                if index == length { return start + length }
            }
            return nil
        }
    }
}
