import TestSupport
import Testing
import ZoomModel

@testable import Contract

/// The forms of the nodes' commands.
struct CommandFormTests {
    @Test func eachFieldIsWrittenFromWhereItIsRead() throws {
        for node in Node.allCases { #expect(try changed(node.contract) == [], "\(node)") }
    }

    private func changed<Contract: NodeContract>(_ contract: Contract.Type) throws -> [String] {
        try changed(Contract.Command.self)
    }

    private func changed<Command: CommandForm>(_ command: Command.Type) throws -> [String] {
        #expect(!Command.distinctObjects().isEmpty)
        return try command.changedInRoundTrip().map { String(decoding: JSON.bytes($0), as: UTF8.self) }
    }

    /// The envelope has the names that no control can have.
    @Test func theNamesOfTheEnvelopeAreThoseOfItsForms() {
        let command = Node.zoom.command
        let names = (command.envelope.fields + (command.cancel?.fields ?? [])).map(\.name)
        #expect(Set(names) == Set(Envelope.names))
    }

    /// The reader takes what the description allows, and nothing else: of random commands, each as it is and
    /// with one value in the place of another.
    @Test(arguments: Node.allCases) func theReaderAndTheDescriptionAgree(node: Node) throws {
        var command = RandomCommand([:], SeededGenerator(seed: 7))
        let (form, values) = (node.command.form, Self.values)
        for round in 0..<400 {
            var object = command.object(form)
            try #require(form.objection(to: object) == nil)
            try compare(object, node)
            guard let name = object.names.randomElement(using: &command.random) else { continue }
            object[name] = values[round % values.count]
            try compare(object, node)
            object["nosuch"] = round.isMultiple(of: 9) ? .flag(true) : nil
            try compare(object, node)
        }
    }

    private static let values: [JSON?] = [
        nil, .null, .flag(true), .flag(false), .integer(-1), .integer(0), .integer(1), .integer(101),
        .integer(200_000_001), .number(0.5), .number(-2), .text(""), .text("a"), .text("A b"), .text(".a"),
        .text("\u{7}"), .text("ended"), .text(String(repeating: "a", count: 65)), .list([]),
        .list([.text("a")]), .list([.integer(1)]), .object([:]), .object(["x": .integer(1)]),
        .object(["x": .integer(1), "y": .integer(1)]), .object(["factor": .integer(1)]),
    ]

    private func compare(_ object: JSONObject, _ node: Node) throws {
        let error: CommandError? =
            if case .failure(let error) = Command(for: node, payload: JSON.bytes(JSON.object(object))).body {
                error
            } else {
                nil
            }
        // What only code says.
        let isOfCode = error?.field == "zoom.by" || error?.message.contains("a series lasts") == true
        if isOfCode { return }
        let objection = node.command.form.objection(to: object)
        let text = String(decoding: JSON.bytes(JSON.object(object)), as: UTF8.self)
        #expect((error == nil) == (objection == nil), "\(text): \(objection ?? "") \(error?.message ?? "")")
    }
}
