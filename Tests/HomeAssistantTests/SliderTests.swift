import Foundation
import Testing

@testable import Contract
@testable import FrontEnds
@testable import Settings

/// Each value that Home Assistant's frontend computes for a position on a slider is in the range of the
/// document. It refuses any other value, which then never reaches the camera.
struct SliderTests {
    /// The fields of a number.
    struct Number: Decodable {
        let min: Double
        let max: Double
        let step: Double
        let mode: String

        /// What a tile sends for a place of the finger (frontend/src/components/ha-control-slider.ts).
        func stop(at value: Double) -> Double { (value / step + 0.5).rounded(.down) * step }

        /// Whether it can be dragged everywhere, from end to end.
        var canBeDragged: Bool {
            (0...1000).allSatisfy { place in
                let value = min + (max - min) * Double(place) / 1000
                return min...max ~= stop(at: value)
            }
        }
    }

    struct Document: Decodable {
        let cmps: [String: Component]

        struct Component: Decodable {
            let min, max, step: Double?
            let mode: String?
        }
    }

    func number(_ name: String, of device: DiscoveredDevice) throws -> Number {
        let json = Data(device.bytes())
        let document = try JSONDecoder().decode(Document.self, from: json)
        let component = try #require(document.cmps[name])
        return Number(
            min: try #require(component.min), max: try #require(component.max),
            step: try #require(component.step), mode: try #require(component.mode))
    }

    func device(zoom: ClosedRange<Double> = 1...8, controls: [CameraInfo.ControlDescriptor] = [])
        -> DiscoveredDevice
    {
        .door(
            CameraInfo(
                model: "", bus: "usb", serial: "", nodes: [], clients: .open,
                zoom: .init(
                    min: zoom.lowerBound, max: zoom.upperBound, handover: [], actuators: [], upscaleFrom: 2,
                    gestureTimeoutMilliseconds: 500, liveRate: 30),
                formats: [], qualities: [],
                recording: .init(codec: .h264, maximumSeconds: 60, audio: false, encoding: .init()),
                shutter: .init(ShutterSettings(secondary: .record, longPress: nil)),
                controls: controls))
    }

    @Test func theZoomReachesItsEndsWhateverTheyAre() throws {
        for tenths in 11...600 {
            let greatest = Double(tenths) / 10
            let number = try number("zoom", of: device(zoom: 1...greatest))
            #expect(number.canBeDragged, "1…\(greatest)")
            #expect(number.min == 1 && number.max >= greatest && number.max < greatest + number.step)
        }
        for (least, greatest) in [(1.24, 7.98), (1.24, 1.9), (0.5, 30.01), (1, 4.0 / 3)] {
            let number = try number("zoom", of: device(zoom: least...greatest))
            #expect(number.canBeDragged, "\(least)…\(greatest)")
            #expect(number.min <= least && number.max >= greatest)
        }
    }

    @Test(arguments: [
        (0.0, 255.0, 2.0), (-10, 11, 3), (3, 2047, 5), (-0.7, 0.7, 0.1), (2800, 6500, 10), (0, 1, 1),
    ])
    func soDoControls(min: Double, max: Double, step: Double) throws {
        let control = CameraInfo.ControlDescriptor.slider("x", "X", min: min, max: max, step: step)
        let number = try number("number_x", of: device(controls: [control]))
        #expect(number.canBeDragged)
        #expect(number.min <= min && number.min > min - step && number.max >= max && number.max < max + step)
    }

    /// The step is rounded; the ends needn't be.
    @Test func valuesThatAreAThirdApartKeepTheirEnds() throws {
        let control = CameraInfo.ControlDescriptor.discrete(
            "x", "X", [-2, -1.667, -1.333, -1, -0.667, -0.333, 0, 0.333, 2])
        let number = try number("number_x", of: device(controls: [control]))
        #expect(number.canBeDragged && (number.min, number.max) == (-2, 2))
    }

    @Test func whatIsTypedHasTheCamerasOwnEnds() throws {
        let control = CameraInfo.ControlDescriptor.slider("x", "X", min: -7, max: 9e18, step: 2)
        let number = try number("number_x", of: device(controls: [control]))
        #expect((number.mode, number.min, number.max) == ("box", -7, 9_007_199_254_740_992))
    }
}
