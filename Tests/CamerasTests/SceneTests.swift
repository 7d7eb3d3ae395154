import Base
import Testing

@testable import Cameras
@testable import Settings

/// The scene of a simulated camera, whose colour encodes the position.
@Suite(.timeLimit(.minutes(10))) struct SceneTests {
    func scene(_ width: Int, _ height: Int, _ scene: SimulatedScene = .chart) throws -> PlanarPicture {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 1, frameRate: 1000, width: width, height: height, scene: scene))
        guard case .planar(let picture) = try #require(harness.frame(after: harness.loop.now)).picture else {
            throw NotPlanar()
        }
        return picture
    }

    struct NotPlanar: Error {}

    @Test(arguments: [(1920, 1080), (640, 480), (33, 17), (16, 9), (1, 1)], SimulatedScene.allCases)
    func itHasTheRequestedSize(size: (Int, Int), shown: SimulatedScene) throws {
        let (width, height) = size
        let picture = try scene(width, height, shown)
        #expect((picture.width, picture.height, picture.sampling) == (width, height, .yuv422))
        #expect(picture.samples.count == (width + (width + 1) / 2 * 2) * height)
    }

    @Test func blueGoesFromLeftToRightAndRedFromTopToBottom() throws {
        let picture = try scene(1920, 1080)
        let chroma = picture.samples.dropFirst(1920 * 1080)
        let (blue, red) = (Array(chroma.prefix(960 * 1080)), Array(chroma.suffix(960 * 1080)))
        for (x, y) in [(0, 0), (480, 540), (959, 1079), (200, 900), (700, 3)] {
            let expectedBlue = 64 + 128 * (Double(x) + 0.5) / 960
            let expectedRed = 64 + 128 * (Double(y) + 0.5) / 1080
            #expect(abs(Double(blue[y * 960 + x]) - expectedBlue) <= 1)
            #expect(abs(Double(red[y * 960 + x]) - expectedRed) <= 1)
        }
        let row = blue[..<960]
        #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// The mean colour of a part gives its middle to a few thousandths of the scene.
    @Test(arguments: [(0.5, 0.5, 1.0), (0.3, 0.7, 0.25), (0.9375, 0.0625, 0.125)])
    func theMeanColourOfAPartGivesItsPlace(x: Double, y: Double, size: Double) throws {
        let picture = try scene(1920, 1080)
        func mean(from start: Int) -> Double {
            let columns = Int((x - size / 2) * 960)..<Int((x + size / 2) * 960)
            let rows = Int((y - size / 2) * 1080)..<Int((y + size / 2) * 1080)
            var sum = 0
            for row in rows {
                for column in columns { sum += Int(picture.samples[start + row * 960 + column]) }
            }
            return Double(sum) / Double(rows.count * columns.count)
        }
        let (blue, red) = (1920 * 1080, (1920 + 960) * 1080)
        #expect(abs((mean(from: blue) - 64) / 128 - x) < 0.006)
        #expect(abs((mean(from: red) - 64) / 128 - y) < 0.006)
    }

    @Test func itIsAGridOf16By9CellsWithLinesAndLabels() throws {
        let samples = try scene(1920, 1080).samples
        func sample(_ x: Int, _ y: Int) -> UInt8 { samples[y * 1920 + x] }
        for row in 0..<9 {
            for column in 0..<16 {
                let (left, top) = (column * 120, row * 120)
                #expect(sample(left, top + 60) == 40 && sample(left + 60, top) == 40, "lines left and above")
                let isDark = (row + column).isMultiple(of: 2)
                #expect(sample(left + 110, top + 110) == (isDark ? 100 : 150))
                let label = (top + 24..<top + 64).contains { y in
                    (left + 24..<left + 52).contains { sample($0, y) == 235 }
                }
                #expect(label)
            }
        }
    }

    /// The eyes of a cat in a window: three pixels wide at factor 1.
    @Test func theGardenHasSmallThings() throws {
        let samples = try scene(1920, 1080, .garden).samples
        let row = 638 * 1920
        let (eye, fur) = (samples[row + 1040], samples[row + 1044])
        #expect((eye, fur, samples[row + 1047]) == (184, 45, 184))
        #expect(try scene(1920, 1080).samples != samples)
    }

    @Test func eachCellHasALabelOfItsOwn() throws {
        let samples = try scene(1920, 1080).samples
        var labels: Set<[Bool]> = []
        for row in 0..<9 {
            for column in 0..<16 {
                var dots: [Bool] = []
                for y in stride(from: row * 120 + 28, to: row * 120 + 68, by: 8) {
                    for x in stride(from: column * 120 + 28, to: column * 120 + 84, by: 8) {
                        dots.append(samples[y * 1920 + x] == 235)
                    }
                }
                labels.insert(dots)
            }
        }
        #expect(labels.count == 144)
    }
}
