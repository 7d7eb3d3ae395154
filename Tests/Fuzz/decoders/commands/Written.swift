import Contract
import FoundationEssentials
import Settings
import ZoomModel

/// A command that was decoded, encoded again, is decoded as the same.
func expectSame(_ command: Command, _ body: Command.Body, _ node: Node) {
    let written = Written.command(body, command.envelope)
    let bytes = JSON.bytes(written)
    let again = Command(for: node, payload: bytes)
    var (envelope, envelopeAgain) = (command.envelope, again.envelope)
    // Times are written to the millisecond, and before 1583 by another calendar.
    for time in [\Envelope.expiry, \Envelope.at] {
        if let before = envelope[keyPath: time], let after = envelopeAgain[keyPath: time] {
            expect(
                abs(before.timeIntervalSince(after)) < 0.002, "a time isn't read as it was written: \(before)"
            )
        }
        (envelope[keyPath: time], envelopeAgain[keyPath: time]) = (nil, nil)
    }
    // Without a time that can be written, there is no place for it.
    if Written.writable(command.envelope.at) == nil { envelope.isForAnyClock = false }
    let expected = withRoundedContents(body, of: again)
    let isSame: Bool = if case .success(expected) = again.body { true } else { false }
    expect(
        isSame && envelope == envelopeAgain,
        "\(node): \(body) written as \(String(decoding: bytes, as: UTF8.self)) is read as \(again)")
}

/// A body whose contents are as they came: a whole number of 16 or more digits for a field that may have a
/// fraction is written as the nearest number of that kind.
private func withRoundedContents(_ body: Command.Body, of again: Command) -> Command.Body {
    guard case .desired(var desired) = body, case .success(.desired(let read)) = again.body else {
        return body
    }
    let isLong = desired.contents.split { !(48...57).contains($0) }.contains { $0.count >= 16 }
    if isLong { desired.contents = read.contents }
    return .desired(desired)
}

/// JSON as a controller would put it together.
private indirect enum Written: Encodable {
    case number(Double)
    case integer(Int)
    case text(String)
    case flag(Bool)
    case list([Written])
    case object([(String, Written?)])

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .number(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .text(let value): try value.encode(to: encoder)
        case .flag(let value): try value.encode(to: encoder)
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .object(let fields):
            var container = encoder.container(keyedBy: Name.self)
            for case (let name, let value?) in fields { try container.encode(value, forKey: Name(name)) }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension Written {
    static func command(_ body: Command.Body, _ envelope: Envelope) -> Written {
        var fields: [(String, Written?)] = [
            ("id", envelope.id.map { .text($0) }), ("client", envelope.client.map { .text($0.name) }),
            ("if_rev", envelope.ifRev.map { .integer($0) }),
        ]
        if let expiry = envelope.expiry, let made = writable(expiry.addingTimeInterval(-1)) {
            fields += [("ts", .text(made)), ("ttl_ms", .integer(1000))]
        }
        if let at = writable(envelope.at) {
            fields += [("at", .text(at)), ("at_any_clock", envelope.isForAnyClock ? .flag(true) : nil)]
        }
        return .object(fields + self.fields(of: body))
    }

    /// The time as text, where its year has four digits and its calendar is ours.
    fileprivate static func writable(_ date: Date?) -> String? {
        guard let date else { return nil }
        let (year1583, year9999) = (-12_212_553_600.0, 253_370_764_800.0)
        return (year1583...year9999).contains(date.timeIntervalSince1970) ? Timestamp.text(date) : nil
    }

    private static func fields(of body: Command.Body) -> [(String, Written?)] {
        switch body {
        case .zoom(let command):
            switch command {
            case .go(let goal): fields(of: goal)
            case .move(let velocity, let timeout):
                [
                    (
                        "move",
                        .object([
                            ("velocity", .number(velocity)),
                            ("timeout_ms", .integer(Int(timeout / .milliseconds(1)))),
                        ])
                    )
                ]
            case .stop: [("stop", .flag(true))]
            case .show, .moveView: []
            }
        case .pinch(let command):
            [
                ("gesture", .text(command.gesture)), ("phase", .text(command.phase.rawValue)),
                ("scale", command.scale.map { .number($0) }), ("seq", command.sequence.map { .integer($0) }),
                ("mode", .text(command.mode.rawValue)), ("anchor", command.anchor.map(point)),
                ("revert", command.revert ? .flag(true) : nil),
            ]
        case .touch(let command):
            [
                ("gesture", .text(command.gesture)), ("seq", command.sequence.map { .integer($0) }),
                ("touches", .list(command.touches.map(finger))),
            ]
        case .viewport(.at(let middle)): [("center", point(middle))]
        case .viewport(.by(let x, let y)): [("by", .object([("dx", .number(x)), ("dy", .number(y))]))]
        case .capture(let command): fields(of: command)
        case .press(let command):
            [
                ("phase", .text(command.phase.rawValue)), ("button", .text(command.button.rawValue)),
                ("remote", .flag(command.isRemote)),
            ] + (command.phase == .ended ? form(of: command.photo) : [])
        case .stopCapture(let command):
            [("stop", .flag(true)), ("capture", command.capture.map { .text($0) })]
        case .recording(.on(let options)):
            [
                ("on", .flag(true)), ("max_duration_s", options.maximumSeconds.map { .number($0) }),
                ("codec", options.codec.map { .text($0.rawValue) }),
                ("audio", options.audio.map { .flag($0) }),
                ("quality", options.quality.map { .integer($0) }),
                ("max_bit_rate", options.maximumBitRate.map { .integer($0) }),
                ("key_frame_interval_s", options.keyFrameSeconds.map { .number($0) }),
            ]
        case .recording(.off): [("on", .flag(false))]
        case .session(let command):
            fields(ofSession: command.qualities, command.rate) + [
                ("controls", command.controls.map { .object(fields(of: $0)) }),
                ("zoom", command.zoom.map { .object(fields(of: $0)) }),
            ]
        case .controls(let command): fields(of: command)
        case .presets(.save(let name)): [("save", .text(name))]
        case .presets(.go(let name, let rate)): [("go", .text(name)), ("rate", rate.map { .number($0) })]
        case .presets(.delete(let name)): [("delete", .text(name))]
        case .preview(.lease(let options)):
            [
                ("fps", .number(options.rate)), ("width", .integer(options.width)),
                ("seconds", .number(options.seconds)),
            ]
        case .preview(.stop): [("stop", .flag(true))]
        case .lease(.take(let milliseconds, let force)):
            [("take", .flag(true)), ("ttl_ms", .integer(milliseconds)), ("force", .flag(force))]
        case .lease(.release): [("release", .flag(true))]
        case .privacy(let command): [("state", .text(command == .on ? "ON" : "OFF"))]
        case .media(.list(let page)):
            [
                (
                    "list",
                    .object([
                        ("kind", page.kind.map { .text($0.rawValue) }),
                        ("before", page.before.map { .text($0) }),
                        ("limit", .integer(page.limit)),
                    ])
                )
            ]
        case .media(.describe(let name)): [("describe", .text(name))]
        case .media(.get(let part)):
            [
                ("get", .text(part.name)), ("offset", .integer(part.offset)),
                ("length", .integer(part.length)),
                ("version", part.version.map { .text($0) }),
            ]
        case .media(.delete(let name)): [("delete", .text(name))]
        case .cancel(let id): [("cancel", .text(id))]
        case .desired(let command):
            [
                ("version", .integer(command.version)), ("group", command.group.map { .text($0) }),
                ("reset", command.resets ? .flag(true) : nil),
                ("zoom", command.zoom.map { .object(fields(of: $0)) }),
                ("controls", command.controls.map { .object(fields(of: $0)) }),
                (
                    "session",
                    command.session.map { .object(fields(ofSession: $0.qualities, $0.rate)) }
                ),
            ]
        }
    }

    /// One quality is written as a text, others as a list.
    private static func fields(ofSession qualities: [String], _ rate: Double?) -> [(String, Written?)] {
        let names: Written? =
            switch qualities.count {
            case 0: nil
            case 1: .text(qualities[0])
            default: .list(qualities.map { .text($0) })
            }
        return [("quality", names), ("fps", rate.map { .number($0) })]
    }

    private static func fields(of goal: ZoomGoal) -> [(String, Written?)] {
        let target: (String, Written?) =
            switch goal.target {
            case .factor(let number): ("factor", .number(number))
            case .position(let number): ("position", .number(number))
            case .by(let number): ("by", .number(number))
            }
        return [target, ("rate", goal.rate.map { .number($0) }), ("anchor", goal.anchor.map(point))]
    }

    private static func fields(of photo: CaptureSet) -> [(String, Written?)] {
        form(of: photo) + [
            ("count", .integer(photo.count)), ("interval_ms", .integer(photo.intervalMilliseconds)),
            ("max_age_ms", photo.maximumAgeMilliseconds.map { .integer($0) }),
            ("zoom", photo.zoom.map { .object(fields(of: $0)) }),
        ]
    }

    private static func form(of photo: CaptureSet) -> [(String, Written?)] {
        let size: [(String, Written?)] = [
            ("width", photo.width.map { .integer($0) }), ("height", photo.height.map { .integer($0) }),
        ]
        return [
            ("quality", photo.quality.map { .integer($0) }),
            ("size", photo.width == nil && photo.height == nil ? nil : .object(size)),
            ("reply", .text(photo.reply.rawValue)),
        ]
    }

    private static func fields(of controls: ControlsSet) -> [(String, Written?)] {
        controls.values.map { name, value in
            switch value {
            case .number(let number): (name, .number(number))
            case .flag(let flag): (name, .flag(flag))
            case .text(let text): (name, .text(text))
            }
        }
    }

    private static func point(_ anchor: Point) -> Written {
        .object([("x", .number(anchor.x)), ("y", .number(anchor.y))])
    }

    private static func finger(_ finger: Touch) -> Written {
        .object([
            ("id", .text(finger.finger)), ("x", .number(finger.place.x)), ("y", .number(finger.place.y)),
            ("phase", .text(finger.phase.rawValue)),
        ])
    }
}
