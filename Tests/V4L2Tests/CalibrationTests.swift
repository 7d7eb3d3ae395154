import Testing

@testable import Cameras
@testable import Settings

/// The factors of a lens's values, and the values of factors.
struct CalibrationTests {
    @Test func withoutATableTheFactorIsTheValueDividedByTheMinimum() throws {
        let calibration = try #require(Calibration(minimum: 100, maximum: 500))
        #expect(calibration.max == 5)
        #expect(calibration.factor(at: 250) == 2.5)
        #expect(calibration.raw(at: 3) == 300)
    }

    /// No factor follows from a range that begins at 0.
    @Test func aRangeFromZeroIsTakenForOneToFour() throws {
        let calibration = try #require(Calibration(minimum: 0, maximum: 30))
        #expect(calibration.max == Calibration.unknownMax)
        #expect(calibration.factor(at: 0) == 1 && calibration.factor(at: 30) == 4)
    }

    @Test func aTableIsFollowedByStraightLines() throws {
        let calibration = try #require(
            Calibration([.init(raw: 0, factor: 1), .init(raw: 10, factor: 2), .init(raw: 30, factor: 10)]))
        for (raw, factor) in [(0, 1), (5, 1.5), (10, 2), (20, 6), (30, 10)] as [(Int64, Double)] {
            #expect(calibration.factor(at: raw) == factor)
            #expect(calibration.raw(at: factor) == Double(raw))
        }
        #expect(calibration.factor(at: -5) == 1 && calibration.factor(at: 99) == 10)
    }

    /// The widest factor is always 1.
    @Test func factorsCountFromTheWidest() throws {
        let calibration = try #require(Calibration([.init(raw: 0, factor: 2), .init(raw: 10, factor: 20)]))
        #expect(calibration.factor(at: 0) == 1 && calibration.max == 10)
    }

    @Test(
        arguments: [
            [], [(100, 1)], [(100, 1), (100, 2)], [(100, 2), (200, 1)], [(1, 0), (2, 1)],
        ] as [[(Int64, Double)]]) func pointsThatDoNotRiseAreRefused(points: [(Int64, Double)])
    {
        #expect(Calibration(points.map { .init(raw: $0.0, factor: $0.1) }) == nil)
    }

    @Test func aMotorStopsAtTheStepJustBelow() throws {
        let motor = V4L2Lens.Motor(
            control: 1, range: 100...500, step: 25,
            calibration: try #require(Calibration(minimum: 100, maximum: 500)))
        #expect(motor.raw(at: 1) == 100 && motor.raw(at: 1.24) == 100 && motor.raw(at: 1.25) == 125)
        #expect(motor.raw(at: 5) == 500 && motor.raw(at: 99) == 500 && motor.raw(at: 0.1) == 100)
    }

    @Test(arguments: [1.0, 1.5, 2, 3.99]) func aCropIsRoundTheMiddleAndNeverTooNarrow(factor: Double) {
        let crop = V4L2Lens.Crop(bounds: .init(left: 8, top: 4, width: 1920, height: 1080), max: 4)
        let part = crop.rectangle(at: factor)
        #expect(crop.factor(at: part) <= factor)
        #expect(abs(crop.factor(at: part) / factor - 1) < 0.003)
        #expect(
            abs((part.left - 8) * 2 + part.width - 1920) <= 1
                && abs((part.top - 4) * 2 + part.height - 1080) <= 1)
    }

    /// Another format of the frames may have other bounds, and reach less far.
    @Test func aCropOfAnotherFormatIsTakenOver() {
        typealias Crop = V4L2Lens.Crop
        let sensor = V4L2Lens.Rectangle(left: 0, top: 0, width: 1920, height: 1080)
        let full = Crop(bounds: sensor, max: 4)
        let aside = V4L2Lens.Rectangle(left: 10, top: 20, width: 960, height: 540)
        #expect(Crop(bounds: sensor, max: 2).nearest(to: aside, of: full) == aside)
        #expect(Crop(bounds: sensor, max: 1.99).nearest(to: aside, of: full) == aside)
        #expect(Crop(bounds: sensor, max: 1.5).nearest(to: aside, of: full) == full.rectangle(at: 1.5))
        let binned = Crop(bounds: .init(left: 0, top: 0, width: 1600, height: 900), max: 4)
        #expect(binned.nearest(to: aside, of: full) == binned.rectangle(at: 2))
    }

    /// Optical first, the sensor's crop for what is beyond.
    @Test func theMotorComesBeforeTheCrop() throws {
        let lens = V4L2Lens(
            motor: .init(
                control: 1, range: 100...300, step: 1,
                calibration: try #require(Calibration(minimum: 100, maximum: 300))),
            crop: .init(bounds: .init(left: 0, top: 0, width: 1600, height: 900), max: 2))
        #expect(lens.max == 6)
        #expect(lens.goal(at: 2) == lens.goal(at: 2.004))
        #expect(lens.goal(at: 2).raw == 200 && lens.goal(at: 2).rectangle?.width == 1600)
        #expect(lens.goal(at: 4.5).raw == 300 && lens.goal(at: 4.5).rectangle?.width == 1067)
        #expect(lens.goal(at: 99).rectangle?.width == 800)
    }
}
