internal import Settings
internal import Synchronization

/// A test picture: a grid of 16 by 9 labelled cells, in which the colour encodes the position.
///
/// Blue-difference chroma goes from 64 at the left edge to 192 at the right, red-difference from 64 at the
/// top to 192 at the bottom, so that a program can compute the position of a part from its mean colour. The
/// labels (A1 to P9) show it to people.
enum Scene {
    static let columns = 16
    static let rows = 9

    /// The pictures that are kept, the most recently used at the end. All simulated cameras of one size share
    /// a picture.
    private static let cache = Mutex<[(scene: SimulatedScene, picture: PlanarPicture)]>([])
    /// Each picture has some megabytes.
    private static let maxCached = 8

    /// The scene in 4:2:2, width and height in pixels.
    static func picture(of scene: SimulatedScene = .chart, width: Int, height: Int) -> PlanarPicture {
        cache.withLock { cache in
            let place = cache.firstIndex {
                ($0.scene, $0.picture.width, $0.picture.height) == (scene, width, height)
            }
            let found = place.map { cache.remove(at: $0).picture }
            let picture = found ?? (scene == .chart ? draw : Garden.draw)(width, height)
            if cache.count == maxCached { cache.removeFirst() }
            cache.append((scene, picture))
            return picture
        }
    }

    private static func draw(width: Int, height: Int) -> PlanarPicture {
        let chromaWidth = (width + 1) / 2
        let blue = (0..<chromaWidth).map { UInt8(64 + 128 * (Double($0) + 0.5) / Double(chromaWidth)) }
        var samples = luma(width, height)
        samples.reserveCapacity(samples.count + 2 * chromaWidth * height)
        for _ in 0..<height { samples += blue }
        for y in 0..<height {
            let red = UInt8(64 + 128 * (Double(y) + 0.5) / Double(height))
            samples += repeatElement(red, count: chromaWidth)
        }
        return PlanarPicture(sampling: .yuv422, width: width, height: height, samples: samples)
    }

    private static func luma(_ width: Int, _ height: Int) -> [UInt8] {
        var canvas = Canvas(
            width: width, height: height, samples: [UInt8](repeating: 0, count: width * height))
        for row in 0..<rows {
            for column in 0..<columns {
                let left = column * width / columns
                let right = (column + 1) * width / columns
                let top = row * height / rows
                let bottom = (row + 1) * height / rows
                let isDark = (row + column).isMultiple(of: 2)
                canvas.fill(left, top, right, bottom, isDark ? 100 : 150)
                canvas.fill(left, top, right, top + max(1, height / 540), 40)
                canvas.fill(left, top, left + max(1, width / 960), bottom, 40)
                let dot = max(1, (right - left) / 14)
                canvas.write(
                    [Glyph.letters[column], Glyph.digits[row + 1]], left: left + 3 * dot, top: top + 3 * dot,
                    dot: dot)
            }
        }
        return canvas.samples
    }
}

/// Luma samples to draw on; what lies outside is cut off.
private struct Canvas {
    let width: Int
    let height: Int
    var samples: [UInt8]

    mutating func fill(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int, _ value: UInt8) {
        for y in top..<max(top, min(bottom, height)) {
            for x in left..<max(left, min(right, width)) { samples[y * width + x] = value }
        }
    }

    mutating func write(_ glyphs: [Glyph], left: Int, top: Int, dot: Int) {
        for (place, glyph) in glyphs.enumerated() {
            for row in 0..<5 {
                for column in 0..<3 where glyph.isSet(column, row) {
                    let x = left + (place * 4 + column) * dot
                    fill(x, top + row * dot, x + dot, top + (row + 1) * dot, 235)
                }
            }
        }
    }
}
