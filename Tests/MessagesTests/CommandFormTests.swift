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
}
