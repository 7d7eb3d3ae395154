internal import FoundationEssentials

/// A command as it came in: who asks, and what for, or why that can't be read.
package struct Command: Sendable {
    package let envelope: Envelope
    package let body: Result<Body, CommandError>

    package enum Body: Sendable, Equatable {
        case zoom(ZoomSet)
        case pinch(PinchSet)
        case capture(CaptureSet)
        case controls(ControlsSet)
    }

    /// The largest payload that is looked at, in bytes.
    package static let largest = 65_536

    /// Reads the payload of a command. Whatever the bytes are, the result says what is wrong with them.
    package init(for node: Node, payload: [UInt8]) {
        switch node {
        case .zoom: (envelope, body) = Self.read(payload, Body.zoom)
        case .pinch: (envelope, body) = Self.read(payload, Body.pinch)
        case .capture: (envelope, body) = Self.read(payload, Body.capture)
        case .controls: (envelope, body) = Self.read(payload, Body.controls)
        case .touch, .viewport, .recording, .session, .presets, .preview, .lease, .desired:
            let unserved = CommandError(.unsupported, "This version doesn't serve \(node.rawValue) yet.")
            (envelope, body) = Self.read(payload) { (content: AnyContent) throws(CommandError) -> Body in
                throw unserved
            }
        }
    }

    private static func read<Content: CommandContent>(
        _ payload: [UInt8], _ body: (Content) throws(CommandError) -> Body
    ) -> (Envelope, Result<Body, CommandError>) {
        var envelope = Envelope()
        do throws(CommandError) {
            if payload.count > largest {
                throw CommandError(
                    .tooLarge, "The payload has \(payload.count) bytes; a command has at most \(largest).")
            }
            if let bare = try Content(bare: payload) { return (envelope, .success(try body(bare))) }
            let read = try object(payload, of: Content.self)
            envelope = read.envelope
            return (envelope, .success(try body(try read.content.get())))
        } catch {
            return (envelope, .failure(error))
        }
    }

    private static func object<Content: CommandContent>(
        _ payload: [UInt8], of type: Content.Type
    ) throws(CommandError) -> Read<Content> {
        do {
            return try JSONDecoder().decode(Read<Content>.self, from: Data(payload))
        } catch {
            throw notAnObject(error)
        }
    }

    private static func notAnObject(_ error: any Error) -> CommandError {
        switch error {
        case DecodingError.typeMismatch: CommandError(.badPayload, "A command is a JSON object.")
        default: CommandError(.badPayload, "The payload isn't valid JSON.")
        }
    }
}

/// What one node takes.
protocol CommandContent {
    /// Reads a payload that isn't an object, where the node takes one; nil where it is to be read as an object.
    init?(bare payload: [UInt8]) throws(CommandError)
    /// Reads the node's own fields.
    init(_ fields: inout Fields) throws(CommandError)
}

extension CommandContent {
    init?(bare payload: [UInt8]) throws(CommandError) { return nil }
}

/// The fields of a command for a node that isn't served: only those that every command has are looked at, for the answer.
private struct AnyContent: CommandContent {
    init?(bare payload: [UInt8]) throws(CommandError) {
        if payload.first == UInt8(ascii: "{") { return nil }
    }

    init(_ fields: inout Fields) throws(CommandError) {
        fields.ignoreOthers()
    }
}

/// An object read while the decoder is at it: the decoder's containers don't outlive it.
private struct Read<Content: CommandContent>: Decodable {
    var envelope = Envelope()
    let content: Result<Content, CommandError>

    init(from decoder: any Decoder) throws {
        var fields = try Fields(decoder)
        do throws(CommandError) {
            try envelope.readSender(&fields)
            try envelope.readConditions(&fields)
            let content = try Content(&fields)
            try fields.refuseOthers()
            self.content = .success(content)
        } catch {
            content = .failure(error)
        }
    }
}
