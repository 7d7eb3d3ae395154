internal import Settings

/// The camera's own H.264 that comes beside its frames, from a second source of the device. It lives on the
/// loop of its camera.
package protocol VideoStream: AnyObject {
    /// See ``CameraBackend/frame(exposedAfter:then:)``. A failure is never `.unplugged`: the camera reports
    /// that.
    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void)

    /// Ends it: pending completions, and those of later calls, are called with a failure. May be called
    /// again.
    func close()
}

/// How a camera gives its own H.264.
package enum VideoAccess: Sendable, Equatable {
    /// Beside its frames: see ``CameraBackend/openVideo(_:then:)``.
    case beside(CameraMode)
    /// In place of other frames: as a mode of its own.
    case instead(CameraMode)
}

extension CameraDescription {
    /// How the camera encodes the pictures of a mode as H.264, in the same size and at the same rate; nil: it
    /// does not.
    ///
    /// It does not if the pictures have to be turned, for which they are decoded. In place of other frames it
    /// does not if the configuration chooses their pixel format.
    ///
    /// - Parameter mode: of pictures that aren't H.264.
    package func video(for mode: CameraMode) -> VideoAccess? {
        guard mode.pixelFormat != Self.videoFormat, orientation.map({ $0.remaining == .upright }) ?? true
        else { return nil }
        if let beside = videoFormats.videoMode(like: mode) { return .beside(beside) }
        guard limits.pixelFormat == nil else { return nil }
        return formats.videoMode(like: mode).map { .instead($0) }
    }

    /// The four-character code of H.264.
    package static let videoFormat = "H264"
}

extension [CameraDescription.Format] {
    /// H.264 in the size and at the rate of a mode.
    fileprivate func videoMode(like mode: CameraMode) -> CameraMode? {
        let format = lazy.filter { $0.pixelFormat == CameraDescription.videoFormat }
            .compactMap { $0.exactly(PixelSize(mode.width, mode.height)) }.first { $0.has(mode.rate) }
        return format.map { $0.mode(rate: $0.rate(nearestTo: mode.rate).rate) }
    }
}
