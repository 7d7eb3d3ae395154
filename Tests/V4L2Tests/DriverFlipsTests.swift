import Testing

@testable import Cameras
@testable import Settings

/// What the controls of a driver can make of an orientation.
struct DriverFlipsTests {
    @Test(arguments: Orientation.allCases) func withBothFlipsAllButQuarterTurnsAreTheDriversWork(
        _ orientation: Orientation
    ) {
        // As a user may have left them.
        let wanted = DriverFlips(horizontal: true, vertical: false).wanted(for: orientation)
        #expect(wanted.orientation == (orientation.swapsSides ? .upright : orientation))
        #expect(wanted.rotation == nil, "a control that the device doesn't have")
    }

    @Test func aDriverWithOneFlipDoesOnlyWhatThatFlipDoes() {
        let device = DriverFlips(vertical: true)
        #expect(device.wanted(for: .flipped) == DriverFlips(vertical: true))
        for other in [Orientation.upright, .mirrored, .halfTurn] {
            #expect(device.wanted(for: other) == DriverFlips(vertical: false))
        }
    }

    @Test func aRotationControlMakesHalfTurnsOnly() {
        let device = DriverFlips(rotation: 90)
        #expect(device.wanted(for: .halfTurn) == DriverFlips(rotation: 180))
        #expect(device.wanted(for: Orientation(quarterTurns: 1)) == DriverFlips(rotation: 0))
        let flipping = DriverFlips(horizontal: false, rotation: 0)
        #expect(flipping.wanted(for: .flipped) == DriverFlips(horizontal: true, rotation: 180))
    }

    @Test(arguments: Orientation.allCases) func whatTheDriverLeavesIsDoneByTheAgent(_ total: Orientation) {
        for device in [
            DriverFlips(), DriverFlips(horizontal: true), DriverFlips(horizontal: true, vertical: true),
        ] {
            let done = device.wanted(for: total).orientation
            #expect(done.then(done.inverse.then(total)) == total)
        }
    }

    @Test(
        arguments: [
            (nil, Orientation.upright), (0, .upright), (90, Orientation(quarterTurns: 3)), (180, .halfTurn),
            (270, Orientation(quarterTurns: 1)),
        ] as [(Int?, Orientation)])
    func theRotationOfASensorIsCorrectedCounterclockwise(_ angle: Int?, _ expected: Orientation) {
        let auto = OrientationSettings(rotation: .auto)
        #expect(auto.orientation(sensorRotation: angle) == expected)
        let mirrored = OrientationSettings(rotation: .auto, mirror: .vertical)
        #expect(mirrored.orientation(sensorRotation: angle) == expected.then(.flipped))
        let fixed = OrientationSettings(rotation: .quarter)
        #expect(fixed.orientation(sensorRotation: angle) == Orientation(quarterTurns: 1))
    }
}
