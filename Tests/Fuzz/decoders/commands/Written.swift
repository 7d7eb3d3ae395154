import FoundationEssentials
import ZoomModel

@testable import Contract

/// A command that was decoded, written by its form, is decoded and written as the same.
func expectSame(_ command: Command, _ body: any CommandForm, _ node: Node) {
    let bytes = written(body, command.envelope)
    let again = Command(for: node, payload: bytes)
    guard case .success(let bodyAgain) = again.body else {
        return expect(false, "\(node): \(String(decoding: bytes, as: UTF8.self)) is read as \(again)")
    }
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
    if writable(command.envelope.at) == nil { envelope.isForAnyClock = false }
    expect(
        // Points are written to a millionth, so the values need not be equal.
        written(bodyAgain, again.envelope) == bytes && envelope == envelopeAgain,
        "\(node): \(body) written as \(String(decoding: bytes, as: UTF8.self)) is read as \(again)")
}

private func written(_ body: any CommandForm, _ envelope: Envelope) -> [UInt8] {
    var fields: JSONObject = [
        "id": envelope.id.map { .text($0) }, "client": envelope.client.map { .text($0.name) },
        "if_rev": envelope.ifRev.map { .integer($0) },
    ]
    if let expiry = envelope.expiry, let made = writable(expiry.addingTimeInterval(-1)) {
        (fields["ts"], fields["ttl_ms"]) = (.text(made), .integer(1000))
    }
    if let at = writable(envelope.at) {
        (fields["at"], fields["at_any_clock"]) = (.text(at), envelope.isForAnyClock ? .flag(true) : nil)
    }
    for member in body.json.object?.members ?? [] { fields[member.name] = member.value }
    return JSON.bytes(JSON.object(fields))
}

/// The time as text, where its year has four digits and its calendar is ours.
private func writable(_ date: Date?) -> String? {
    guard let date else { return nil }
    let (year1583, year9999) = (-12_212_553_600.0, 253_370_764_800.0)
    return (year1583...year9999).contains(date.timeIntervalSince1970) ? Timestamp.text(date) : nil
}
