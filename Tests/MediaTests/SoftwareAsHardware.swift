@testable import Cameras
@testable import Media

extension HardwareEncoders {
    /// x264 in the place of hardware.
    static let x264 = Candidate(name: "libx264") { format throws(MovieError) in
        LibraryEncoder(try PictureEncoder.software(format), pairsChroma: false)
    }
}
