import Contract
import FoundationEssentials
import ZoomModel

/// The payload of a command, for every node: whatever the bytes are, there is a command whose values are in
/// their ranges, and that is read again as the same when it is written; or an error with a message.
func checkCommands(_ payload: [UInt8]) {
    let sender = Envelope(sentIn: payload)
    var lastError: CommandError?
    for node in Node.allCases {
        let command = Command(for: node, payload: payload)
        check(command.envelope)
        expect(
            command.envelope.id == sender.id && command.envelope.client == sender.client,
            "\(node): the sender depends on the node")
        switch command.body {
        case .success(let body):
            check(body, of: node)
            checkWord(body, payload)
            expectSame(command, body, node)
        case .failure(let error) where error != lastError:
            check(error, to: command, payload)
            lastError = error
        case .failure: break  // Answered the same for another node already.
        }
    }
    checkRefresh(payload, sender)
    checkRemoteWord(in: payload)
}

private func checkRefresh(_ payload: [UInt8], _ sender: Envelope) {
    let refresh = RefreshSet(payload: payload)
    check(refresh.envelope)
    expect(
        refresh.envelope.id == sender.id && refresh.envelope.client == sender.client,
        "refresh: another sender than that of a node's command")
    expect(refresh.error.map { !$0.message.isEmpty } ?? true, "refresh: an error without a message")
}

private func check(_ envelope: Envelope) {
    for name in [envelope.id, envelope.client?.name] {
        expect(name.map { (1...64).contains($0.utf8.count) } ?? true, "a name is out of bounds")
    }
    expect(envelope.ifRev.map { $0 >= 0 } ?? true, "if_rev is below zero")
    expect(envelope.expiry.map(\.timeIntervalSince1970.isFinite) ?? true, "a time is no number")
}

/// Errors that are about the payload as a whole begin with one of these; all others name their field.
private let aboutTheWhole = [
    "The payload ", "A command is a JSON object; ", "Send ", "Name at least one ",
]

/// The error in an answer is JSON, has a message, names the field, and is short however long the command was.
private func check(_ error: CommandError, to command: Command, _ payload: [UInt8]) {
    expect(!error.message.isEmpty, "nothing is said")
    expect(error.message.utf8.count <= 1024, "a message of \(error.message.utf8.count) bytes")
    if let field = error.field {
        expect(
            error.message.utf8.starts(with: "\(field): ".utf8),
            "the message doesn't begin with \(field): \(error.message)")
    } else {
        expect(
            aboutTheWhole.contains { error.message.hasPrefix($0) }, "no field is named: \(error.message)")
    }
    expect(
        [.badPayload, .unsupported, .tooLarge].contains(error.code),
        "\(error.code) is no error of a payload")
    var reply = Reply(.error, boot: 1, ts: "2026-01-31T12:00:00.000Z")
    (reply.id, reply.client, reply.error) = (command.envelope.id, command.envelope.client?.name, error)
    let bytes = JSON.bytes(reply)
    expect(JSON.isObject(bytes), "the answer isn't JSON")
    expect(bytes.count <= 8192, "the answer has \(bytes.count) bytes")
    expect(JSON.value(Reply.self, from: bytes) == reply, "the answer isn't read as it was written")
}
