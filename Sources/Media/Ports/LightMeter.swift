internal import Cameras

/// Measures the brightness of pictures.
struct LightMeter {
    /// The size to which a picture is scaled first, in pixels: quickly decoded, and enough to compare
    /// exposures.
    private static let (width, height) = (64, 36)

    private let maker: FrameMaker

    init() throws(ImagingError) { maker = try FrameMaker() }

    /// The mean luma, 0…1.
    func brightness(of picture: Picture) throws(ImagingError) -> Double {
        let planes = try maker.planes(
            of: picture, showing: .whole, width: Self.width, height: Self.height, sampling: .gray)
        guard let luma = planes.planes.first else { return 0 }
        var sum = 0
        for row in 0..<luma.height {
            for column in 0..<luma.width { sum += Int(luma.base[row * luma.stride + column]) }
        }
        return Double(sum) / Double(luma.width * luma.height) / 255
    }
}
