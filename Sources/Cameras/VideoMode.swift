internal import Picture

extension CameraDescription {
    /// The mode in which the camera encodes the same pictures as H.264; nil: there is none.
    ///
    /// It has the same size and rate. There is none if the configuration chooses a pixel format, which then
    /// is that of all frames, and none if the pictures have to be turned, for which they are decoded.
    ///
    /// - Parameter mode: of pictures that aren't H.264.
    package func videoMode(beside mode: CameraMode) -> CameraMode? {
        guard limits.pixelFormat == nil, mode.pixelFormat != Self.videoFormat,
            orientation.map({ $0.remaining == .upright }) ?? true
        else { return nil }
        let size = PixelSize(mode.width, mode.height)
        let format = formats.filter { $0.pixelFormat == Self.videoFormat }
            .compactMap { $0.exactly(size) }.first { $0.has(mode.rate) }
        guard let format else { return nil }
        return CameraMode(
            pixelFormat: format.pixelFormat, width: format.width, height: format.height,
            rate: format.rate(nearestTo: mode.rate).rate)
    }

    /// The four-character code of H.264.
    static let videoFormat = "H264"
}
