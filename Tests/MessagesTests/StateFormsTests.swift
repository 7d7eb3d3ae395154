import Contract
import TestSupport
import Testing
import ZoomModel

@testable import Settings

/// The forms of what is sent.
struct StateFormsTests {
    private static var forms: [any (Form & Equatable).Type] {
        [
            AgentInfo.self, CameraInfo.self, Availability.self, Reply.self, Event.self, FrameFields.self,
            MediaPartFields.self, Stamped<DiagnosticsState>.self, Stamped<LiveSample>.self,
            Stamped<OutputState>.self,
        ] + Node.allCases.map { $0.contract.publishedState }
    }

    /// A field that is written from another one's property, or read into it, is found.
    @Test func whatIsReadIsWrittenAgain() throws {
        for form in Self.forms {
            #expect(try form.changedInRoundTrip(.lenient) == [], "\(form)")
        }
    }

    /// Each field has a sentence in the reference.
    @Test func eachFieldHasASentence() {
        for form in Self.forms {
            #expect(form.description.fields.filter { $0.sentence.isEmpty }.map(\.name) == [], "\(form)")
        }
    }

    @Test func nothing() { #expect(JSON.bytes(Stamped<PinchState>?.none) == Array("null".utf8)) }
}
