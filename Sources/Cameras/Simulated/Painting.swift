/// A colour as the samples of a picture have it.
struct Colour {
    fileprivate let samples: (UInt8, UInt8, UInt8)

    /// Red, green and blue from 0 to 255; converted as JPEG does (ITU-R BT.601, full range).
    init(_ red: Double, _ green: Double, _ blue: Double) {
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        samples = (UInt8(luma), UInt8(128 + (blue - luma) * 0.564), UInt8(128 + (red - luma) * 0.713))
    }
}

/// A picture in 4:2:2 to paint on. Places are in sixteenths of the width and ninths of the height; what lies
/// outside is cut off.
struct Painting {
    private let width: Int
    private let height: Int
    private var planes: [[UInt8]]
    private var chromaWidth: Int { (width + 1) / 2 }

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let chroma = [UInt8](repeating: 128, count: (width + 1) / 2 * height)
        planes = [[UInt8](repeating: 0, count: width * height), chroma, chroma]
    }

    var picture: PlanarPicture {
        PlanarPicture(
            sampling: .yuv422, width: width, height: height, samples: planes[0] + planes[1] + planes[2])
    }

    /// Paints the points of a rectangle that are inside a shape.
    mutating func shape(
        _ colour: Colour, _ left: Double, _ top: Double, _ right: Double, _ bottom: Double,
        _ contains: (_ x: Double, _ y: Double) -> Bool
    ) {
        let (across, down) = (Double(width) / 16, Double(height) / 9)
        let columns = max(0, Int(left * across))..<min(width, max(0, Int((right * across).rounded(.up))))
        for row in max(0, Int(top * down))..<min(height, max(0, Int((bottom * down).rounded(.up)))) {
            for column in columns where contains((Double(column) + 0.5) / across, (Double(row) + 0.5) / down)
            {
                planes[0][row * width + column] = colour.samples.0
                planes[1][row * chromaWidth + column / 2] = colour.samples.1
                planes[2][row * chromaWidth + column / 2] = colour.samples.2
            }
        }
    }

    mutating func fill(_ colour: Colour, _ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
        shape(colour, left, top, right, bottom) { x, y in x >= left && x < right && y >= top && y < bottom }
    }

    /// - Parameter flatness: the height of an ellipse by its width.
    mutating func disc(_ colour: Colour, _ x: Double, _ y: Double, _ radius: Double, flatness: Double = 1) {
        let half = radius * flatness
        shape(colour, x - radius, y - half, x + radius, y + half) { column, row in
            let (across, down) = ((column - x) / radius, (row - y) / half)
            return across * across + down * down < 1
        }
    }

    mutating func triangle(
        _ colour: Colour, _ ax: Double, _ ay: Double, _ bx: Double, _ by: Double, _ cx: Double, _ cy: Double
    ) {
        shape(colour, min(ax, bx, cx), min(ay, by, cy), max(ax, bx, cx), max(ay, by, cy)) { x, y in
            let sides = [
                (bx - ax) * (y - ay) - (by - ay) * (x - ax), (cx - bx) * (y - by) - (cy - by) * (x - bx),
                (ax - cx) * (y - cy) - (ay - cy) * (x - cx),
            ]
            return sides.allSatisfy { $0 >= 0 } || sides.allSatisfy { $0 <= 0 }
        }
    }

    /// - Parameter dot: the size of a dot of a letter (A to P) or a digit.
    mutating func write(_ text: String, _ colour: Colour, _ left: Double, _ top: Double, dot: Double) {
        for (place, letter) in text.utf8.enumerated() where letter != UInt8(ascii: " ") {
            let isDigit = letter <= UInt8(ascii: "9")
            let glyph = isDigit ? Glyph.digits[Int(letter) - 48] : Glyph.letters[Int(letter) - 65]
            for dots in 0..<15 where glyph.isSet(dots % 3, dots / 3) {
                let (x, y) = (left + Double(place * 4 + dots % 3) * dot, top + Double(dots / 3) * dot)
                fill(colour, x, y, x + dot, y + dot)
            }
        }
    }
}
