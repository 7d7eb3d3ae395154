import Cameras

/// The photograph that is measured with: made in code, so that every run on every machine has the same one.
/// Like a photograph it has detail of all sizes (noise in octaves, the finer the fainter), hard edges, and a
/// sensor's noise.
enum Scene {
    static func picture(width: Int, height: Int) -> PlanarPicture {
        var luma = [UInt8](repeating: 0, count: width * height)
        var random: UInt64 = 2026
        for y in 0..<height {
            for x in 0..<width {
                let relief = noise(x, y, octaves: 7, seed: 1)
                // Roofs against a sky: an edge that goes up and down.
                let skyline = Double(height) * (0.35 + 0.3 * noise(x, 0, octaves: 5, seed: 2))
                let isSky = Double(y) < skyline
                let light = isSky ? 200 - 60 * Double(y) / Double(height) + 10 * relief : 40 + 170 * relief
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let grain = Double(random >> 40) / Double(1 << 24) * 14 - 7
                luma[y * width + x] = UInt8(max(0, min(255, light + grain)))
            }
        }
        func chroma(seed: UInt32) -> [UInt8] {
            let columns = width / 2
            return (0..<columns * height).map { index in
                UInt8(88 + 80 * noise(index % columns * 2, index / columns, octaves: 4, seed: seed))
            }
        }
        return PlanarPicture(
            sampling: .yuv422, width: width, height: height,
            samples: luma + chroma(seed: 3) + chroma(seed: 4))
    }

    /// Value noise, 0…1: random heights on a lattice of 256 pixels, half that, and so on, smoothed in
    /// between.
    private static func noise(_ x: Int, _ y: Int, octaves: Int, seed: UInt32) -> Double {
        var sum = 0.0
        var weight = 0.5
        var cell = 256
        for octave in 0..<octaves {
            let (column, row) = (x / cell, y / cell)
            let (right, down) = (
                smooth(Double(x % cell) / Double(cell)), smooth(Double(y % cell) / Double(cell))
            )
            let salt = seed &* 97 &+ UInt32(octave)
            let top =
                height(column, row, salt) * (1 - right) + height(column + 1, row, salt) * right
            let bottom =
                height(column, row + 1, salt) * (1 - right) + height(column + 1, row + 1, salt) * right
            sum += weight * (top * (1 - down) + bottom * down)
            weight /= 2
            cell /= 2
        }
        return sum
    }

    private static func smooth(_ t: Double) -> Double { t * t * (3 - 2 * t) }

    private static func height(_ column: Int, _ row: Int, _ salt: UInt32) -> Double {
        var hash = UInt32(column) &* 374_761_393 &+ UInt32(row) &* 668_265_263 &+ salt &* 2_246_822_519
        hash = (hash ^ (hash >> 13)) &* 1_274_126_177
        return Double(hash ^ (hash >> 16)) / Double(UInt32.max)
    }
}
