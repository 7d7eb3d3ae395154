import Contract
import Settings
import Testing

@testable import Cameras
@testable import Settings

/// The values that a control accepts, and the controls of the simulated camera.
@Suite(.timeLimit(.minutes(10))) struct ControlTests {
    static let slider = Control("s", "S", .slider(min: -10, max: 250, step: 5), default: .number(0))
    static let discrete = Control("d", "D", .discrete([-2, -0.333, 0, 1.667]), default: .number(0))
    static let picker = Control("p", "P", .picker([.init(0, "Off"), .init(3, "Auto")]), default: .number(0))
    static let toggle = Control("t", "T", .toggle, default: .flag(true))

    @Test(arguments: [
        (slider, 0.0, 0.0, false), (slider, 12.4, 10, false), (slider, 12.6, 15, false),
        (slider, -10, -10, false),
        (slider, 250, 250, false), (slider, 251, 250, true), (slider, -1e300, -10, true),
        (slider, 1e300, 250, true),
        (discrete, 0, 0, false), (discrete, -0.3, -0.333, false), (discrete, 0.9, 1.667, false),
        (discrete, 1.667, 1.667, false), (discrete, 2, 1.667, true), (discrete, -2.1, -2, true),
        (picker, 3, 3, false),
    ])
    func theNearestValueIsTaken(control: Control, wanted: Double, value: Double, clamped: Bool) throws {
        let nearest = try #require(control.nearest(to: .number(wanted)))
        #expect(nearest.value == .number(value))
        #expect(nearest.clamped == clamped)
    }

    /// As in V4L2, a value is a whole number of steps above the minimum.
    @Test func aMaximumBetweenTwoStepsIsNotReached() {
        let control = Control("s", "S", .slider(min: 1, max: 12, step: 4), default: .number(1))
        #expect(control.nearest(to: .number(12))?.value == .number(9))
        #expect(control.nearest(to: .number(99))?.value == .number(9))
        let fine = Control("f", "F", .slider(min: 0, max: 0.3, step: 0.1), default: .number(0))
        #expect(fine.nearest(to: .number(1))?.value == .number(0.3))
    }

    @Test func aToggleIsAlsoANumber() {
        #expect(Self.toggle.nearest(to: .flag(false))?.value == .flag(false))
        #expect(Self.toggle.nearest(to: .number(0))?.value == .flag(false))
        #expect(Self.toggle.nearest(to: .number(1))?.value == .flag(true))
    }

    @Test(arguments: [
        (slider, Control.Value.flag(true)), (discrete, .flag(false)), (picker, .flag(true)),
        (picker, .number(1)),
        (picker, .number(0.5)), (toggle, .number(2)), (toggle, .number(0.5)),
    ])
    func aValueOfAnotherKindIsRefused(control: Control, wanted: Control.Value) {
        #expect(control.nearest(to: wanted) == nil)
        #expect(!control.allowed.isEmpty)
    }

    @Test func aSimulatedCameraHasOneOfEachKind() {
        let controls = SimulatedCameraHarness().camera.controls
        #expect(
            controls.map(\.name) == [
                "brightness", "exposure_bias", "power_line_frequency", "autofocus", "focus",
            ])
        #expect(controls.allSatisfy { $0.value == $0.defaultValue })
        #expect(controls.filter { $0.disabledBecause != nil }.map(\.name) == ["focus"])
        guard case .discrete(let biases) = controls[1].kind else {
            Issue.record("the exposure is another kind")
            return
        }
        #expect(biases.count == 13)
        #expect(biases.first == -2 && biases.last == 2 && biases.contains(-0.333) && biases.contains(1.667))
        #expect(controls[1].unit == "EV")
    }

    @Test func valuesAreSetAndReadBack() {
        let harness = SimulatedCameraHarness()
        #expect(harness.set(["brightness": .number(10), "power_line_frequency": .number(2)]) == nil)
        #expect(harness.value("brightness") == .number(10))
        #expect(harness.value("power_line_frequency") == .number(2))
        #expect(harness.value("exposure_bias") == .number(0))
    }

    @Test func allAreSetOrNone() {
        let harness = SimulatedCameraHarness()
        let error = harness.set(["brightness": .number(10), "focus": .number(100)])
        guard case .disabled(let control, let reason) = error else {
            Issue.record("it was taken")
            return
        }
        #expect(control == "focus")
        #expect(reason.contains("autofocus"))
        #expect(harness.value("brightness") == .number(128))
        #expect(harness.value("focus") == .number(0))
    }

    @Test func focusIsSetOnceAutofocusIsOff() {
        let harness = SimulatedCameraHarness()
        #expect(harness.set(["autofocus": .flag(false)]) == nil)
        #expect(harness.control("focus")?.disabledBecause == nil)
        #expect(harness.set(["focus": .number(100)]) == nil)
        #expect(harness.value("focus") == .number(100))
        #expect(harness.set(["autofocus": .flag(true)]) == nil)
        #expect(harness.control("focus")?.disabledBecause != nil)
        #expect(harness.set(["focus": .number(5)]) != nil)
    }

    @Test func autofocusAndFocusCanBeSetInOneCall() {
        let harness = SimulatedCameraHarness()
        #expect(harness.set(["focus": .number(50), "autofocus": .flag(false)]) == nil)
        #expect(harness.value("focus") == .number(50))
        #expect(harness.set(["focus": .number(60), "autofocus": .flag(true)]) != nil)
        #expect(harness.value("focus") == .number(50))
        #expect(harness.value("autofocus") == .flag(false))
    }
}
