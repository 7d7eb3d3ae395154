import Cameras
import Media

/// A request for a picture: the first bytes of an input, so that it and the picture are mutated separately.
package struct PictureRequest {
    package static let length = 16

    let region: Region
    let width: Int
    let height: Int
    let sampling: Sampling?
    let effect: Effect
    /// 1, 2, 4 or 8.
    let reduction: Int
    /// Where the rows begin and end that are decoded alone, in fractions of all.
    let rows: (Double, Double)
    let makesPhoto: Bool

    init(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        func byte() -> Int { Int(bytes.popFirst() ?? 0) }
        func place() -> Double {
            let number = byte() << 8 | byte()
            // Beyond the picture's edges too; and what is no number.
            return switch number {
            case 0xFFFF: .nan
            case 0xFFFE: .infinity
            case 0xFFFD: 1e300
            // No fraction that ends: weights of samples are rounded, and half-way either is right.
            default: Double(number) * 2.034_712_345_67e-5 - 0.125
            }
        }
        func side() -> Int {
            let number = byte()
            return number < 240 ? number : Self.rareSides[number - 240]
        }
        region = Region(x: place(), y: place(), width: place(), height: place())
        (width, height) = (side(), side())
        let kinds = byte()
        let samplings = [nil] + Sampling.allCases.map { $0 }
        sampling = samplings[kinds % samplings.count]
        effect = Effect.allCases[kinds / samplings.count % Effect.allCases.count]
        let more = byte()
        reduction = 1 << (more & 3)
        makesPhoto = more & 12 == 12
        rows = (Double(byte()) / 255, Double(byte()) / 255)
    }

    private static let rareSides = [
        256, 257, 300, 333, 400, 480, 511, 512, 513, 640, 1000, 2048, 16_384, 16_385, .max, -1,
    ]

    /// Whether so many samples are made that the fuzzer would do little else.
    var isSlow: Bool {
        let most = 16_384
        return (1...most).contains(width) && (1...most).contains(height) && width * height > 1 << 18
    }

    /// Of so many rows, at least one.
    func rows(of all: Int) -> Range<Int> {
        let places = [rows.0, rows.1].map { min(Int($0 * Double(all)), all - 1) }.sorted()
        return places[0]..<places[1] + 1
    }
}
