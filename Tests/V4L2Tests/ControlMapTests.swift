import Contract
import Testing

@testable import Cameras

/// The translation of a driver's controls.
struct ControlMapTests {
    private func described(_ control: V4L2Control, value: Int64? = nil) throws -> Control {
        try #require(ControlMap([control], values: value.map { [control.id: $0] } ?? [:]).list.first)
    }

    @Test func anIntegerIsASlider() throws {
        let control = try described(
            V4L2Control(
                id: 7, kind: .integer, title: "White Balance Temperature", minimum: 2800, maximum: 6500,
                step: 10,
                standard: 4600), value: 5000)
        #expect(control.name == "white_balance_temperature" && control.title == "White Balance Temperature")
        #expect(control.kind == .slider(min: 2800, max: 6500, step: 10))
        #expect(control.defaultValue == .number(4600) && control.value == .number(5000))
        #expect(control.disabledBecause == nil)
    }

    @Test func aMenuIsAPickerOfWhatTheDriverHas() throws {
        var menu = V4L2Control(id: 7, kind: .menu, title: "Auto Exposure", maximum: 3, standard: 3)
        menu.items = [.init(index: 1, title: "Manual"), .init(index: 3, title: "Aperture Priority")]
        let control = try described(menu, value: 1)
        #expect(control.kind == .picker([.init(1, "Manual"), .init(3, "Aperture Priority")]))
        #expect(control.value == .number(1))
    }

    @Test func aMenuOfNumbersIsADiscreteSlider() throws {
        let map = ControlMap(
            [
                V4L2Control(
                    id: 7, kind: .integerMenu, title: "Frames", maximum: 2, standard: 1,
                    items: [.init(index: 0, title: "", value: 8), .init(index: 1, title: "", value: 2)])
            ], values: [7: 0])
        let control = try #require(map.list.first)
        #expect(
            control.kind == .discrete([2, 8]) && control.value == .number(8)
                && control.defaultValue == .number(2))
        let entry = try #require(map["frames"])
        #expect(map.raw(.number(2), of: entry) == 1 && map.raw(.number(3), of: entry) == nil)
    }

    /// V4L2_CID_AUTO_EXPOSURE_BIAS counts in thousandths of an EV.
    /// Whatever the driver calls it. Many cameras have it as a switch that only a person can move.
    @Test(arguments: [false, true]) func thePrivacyControlIsKnownByItsNumber(isReadOnly: Bool) throws {
        var shutter = V4L2Control(id: 0x9A_0910, kind: .boolean, title: "Lens Cover", maximum: 1)
        shutter.isReadOnly = isReadOnly
        let control = try described(shutter, value: 1)
        #expect(control.isPrivacy && control.kind == .toggle && control.value == .flag(true))
        #expect(control.isReadOnly == isReadOnly)
        let other = V4L2Control(id: 0x98_0900, kind: .boolean, title: "Privacy", maximum: 1)
        #expect(try !described(other, value: 1).isPrivacy)
    }

    @Test func anExposureBiasIsInEV() throws {
        let control = try described(
            V4L2Control(
                id: 0x9A_0913, kind: .integerMenu, title: "Auto Exposure, Bias", maximum: 2, standard: 1,
                items: [
                    .init(index: 0, title: "", value: -1000), .init(index: 1, title: "", value: 0),
                    .init(index: 2, title: "", value: 333),
                ]), value: 2)
        #expect(
            control.kind == .discrete([-1, 0, 0.333]) && control.unit == "EV"
                && control.value == .number(0.333))
    }

    @Test func aBooleanIsAToggleAndAButtonAButton() throws {
        let toggle = try described(V4L2Control(id: 7, kind: .boolean, title: "Flip", standard: 1), value: 0)
        #expect(toggle.kind == .toggle && toggle.value == .flag(false) && toggle.defaultValue == .flag(true))
        let button = try described(V4L2Control(id: 7, kind: .button, title: "Reset"))
        #expect(button.kind == .button && button.nearest(to: .flag(true))?.value == .flag(true))
        #expect(button.nearest(to: .flag(false)) == nil)
    }

    @Test func aTextCanOnlyBeShown() throws {
        let map = ControlMap(
            [V4L2Control(id: 7, kind: .text, title: "Name", maximum: 32)], values: [:], texts: [7: "porch"])
        let control = try #require(map.list.first)
        #expect(control.kind == .text && control.value == .text("porch") && control.disabledBecause != nil)
        #expect(control.nearest(to: .number(1)) == nil)
    }

    @Test(arguments: ["disabled", "read-only", "grabbed", "inactive"])
    func aDisabledControlHasAReason(flag: String) throws {
        var control = V4L2Control(id: 7, kind: .integer, title: "Focus", maximum: 9)
        control.isDisabled = flag == "disabled"
        control.isReadOnly = flag == "read-only"
        control.isGrabbed = flag == "grabbed"
        control.isInactive = flag == "inactive"
        #expect(try described(control).disabledBecause != nil)
    }

    @Test func theZoomIsShownAndLeftToItsNode() throws {
        let zoom = try described(
            V4L2Control(id: 0x9A_090D, kind: .integer, title: "Zoom, Absolute", minimum: 100, maximum: 500))
        #expect(zoom.name == "zoom_absolute" && zoom.disabledBecause?.contains("zoom") == true)
    }

    @Test func headingsAreNoControlsAndNoTwoHaveOneName() {
        let map = ControlMap(
            [
                V4L2Control(id: 1, kind: .heading, title: "User Controls"),
                V4L2Control(id: 2, kind: .boolean, title: "Gain, Automatic"),
                V4L2Control(id: 3, kind: .boolean, title: "Gain Automatic"),
                V4L2Control(id: 0xAB, kind: .boolean, title: "±"),
            ], values: [:])
        #expect(map.list.map(\.name) == ["gain_automatic", "gain_automatic_3", "ab"])
    }

    @Test func aValueThatIsReadIsNotedOnce() {
        var map = ControlMap([V4L2Control(id: 7, kind: .integer, title: "Gain", maximum: 9)], values: [7: 1])
        #expect(map.note(5, of: 7) && !map.note(5, of: 7) && !map.note(5, of: 8))
        #expect(map.list.first?.value == .number(5))
    }
}
