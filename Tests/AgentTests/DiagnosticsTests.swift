import Testing

@testable import Agent

struct DiagnosticsTests {
    @Test func agentsThatStartTogetherDoNotMeasureTogether() {
        let waits = (0..<6000).map { Diagnostics.secondMeasurement(agent: "porch-\($0)") }
        #expect(waits.allSatisfy { $0 >= .zero && $0 < .seconds(60) })
        let ofEachSecond = Dictionary(grouping: waits) { $0.components.seconds }.mapValues(\.count)
        #expect(ofEachSecond.count == 60 && ofEachSecond.values.allSatisfy { (50..<160).contains($0) })
    }
}
