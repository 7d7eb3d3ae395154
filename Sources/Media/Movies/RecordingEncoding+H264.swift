internal import Glibc
import Settings

/// What encoders of H.264 are configured with.
extension RecordingEncoding {
    private var effectiveQuality: Int { quality ?? RecordingCodec.h264.defaultQuality }

    /// x264's constant rate factor: the smaller the better, 23 is its own default. 0, which is lossless, is
    /// not possible in the profile High.
    private var rateFactor: Double { 51 - Double(effectiveQuality) / 2 }

    /// Options of x264: its constant rate factor, and parameters that limit the bit rate (empty: no limit).
    /// The decoder's buffer has the bits of one second, so `n` seconds have at most those of `n` + 1.
    var x264Options: (rateFactor: String, limit: String) {
        let limit = maximumBitRate.map { ":vbv-maxrate=\($0 / 1000):vbv-bufsize=\($0 / 1000)" }
        return ("\(rateFactor)", limit ?? "")
    }

    /// The bit rate for an encoder without constant quality: a tenth of a bit for each pixel at the default
    /// quality, and as with x264, twice as many bits for a rate factor that is smaller by 6.
    func estimatedBitRate(pixelsPerSecond: Double) -> Int64 {
        let difference = Double(effectiveQuality - RecordingCodec.h264.defaultQuality) / 2
        let estimate = 0.1 * pixelsPerSecond * exp2(difference / 6)
        return Int64(min(estimate, Double(maximumBitRate ?? .max)))
    }
}
