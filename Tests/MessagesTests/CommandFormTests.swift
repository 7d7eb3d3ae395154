import TestSupport
import Testing
import ZoomModel

@testable import Contract

/// The forms of the nodes' commands.
struct CommandFormTests {
    @Test func eachFieldIsWrittenFromWhereItIsRead() throws {
        #expect(try changed(ZoomCommand.self) == [])
        #expect(try changed(PinchSample.self) == [])
        #expect(try changed(TouchSample.self) == [])
        #expect(try changed(ZoomCommand.ViewMove.self) == [])
        #expect(try changed(CaptureCommand.self) == [])
        #expect(try changed(RecordingSet.self) == [])
        #expect(try changed(SessionSet.self) == [])
        #expect(try changed(ControlsSet.self) == [])
        #expect(try changed(PresetsSet.self) == [])
        #expect(try changed(PreviewSet.self) == [])
        #expect(try changed(LeaseSet.self) == [])
        #expect(try changed(DesiredSet.self) == [])
        #expect(try changed(PrivacyCommand.self) == [])
        #expect(try changed(MediaSet.self) == [])
    }

    private func changed<Command: Form & Equatable>(_ command: Command.Type) throws -> [String] {
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
