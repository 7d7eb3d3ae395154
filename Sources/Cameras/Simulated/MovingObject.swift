internal import Glibc

/// A dark disc that goes round the middle of a scene on an ellipse, at a constant angular speed. Its place is
/// a function of the time, so a program can compute where it is on a frame.
struct MovingObject: Sendable {
    /// Radii of the ellipse, in fractions of the frame's width and height. A disc of half the frame's height
    /// stays inside the frame.
    private static let radii = (x: 0.3, y: 0.25)
    /// As dark as no part of the scene.
    private static let luma: UInt8 = 16
    private static let chroma: UInt8 = 128

    /// The diameter in fractions of the frame's height.
    private let size: Double
    /// The time in which it goes round once, in seconds.
    private let period: Double

    init(size: Double, period: Double) { (self.size, self.period) = (size, period) }

    /// The middle of the disc, in fractions of the frame. It begins at the top and goes clockwise.
    ///
    /// - Parameter seconds: the time since the camera's first frame.
    func center(after seconds: Double) -> (x: Double, y: Double) {
        let angle = 2 * Double.pi * seconds / period
        return (0.5 + Self.radii.x * sin(angle), 0.5 - Self.radii.y * cos(angle))
    }

    /// A copy of a scene in 4:2:2 with the disc on it.
    func drawn(on scene: PlanarPicture, after seconds: Double) -> PlanarPicture {
        let center = center(after: seconds)
        var samples = scene.samples
        var start = 0
        for index in 0..<3 {
            let plane = scene.sampling.size(ofPlane: index, width: scene.width, height: scene.height)
            let height = Double(plane.height)
            let radius = size / 2 * height
            // Chroma samples are wider than luma samples.
            let samplesPerRow = Double(plane.width) / Double(scene.width)
            for row in 0..<plane.height {
                let distance = Double(row) + 0.5 - center.y * height
                guard abs(distance) < radius else { continue }
                let half = (radius * radius - distance * distance).squareRoot() * samplesPerRow
                let middle = center.x * Double(plane.width)
                let first = max(0, Int((middle - half).rounded()))
                let end = min(plane.width, Int((middle + half).rounded()))
                for column in first..<max(first, end) {
                    samples[start + row * plane.width + column] = index == 0 ? Self.luma : Self.chroma
                }
            }
            start += plane.width * plane.height
        }
        return PlanarPicture(
            sampling: scene.sampling, width: scene.width, height: scene.height, samples: samples)
    }
}
