/// Why a photo could not be made.
package enum ImagingError: Error, Equatable, CustomStringConvertible {
    /// The bytes are not a JPEG, or it is damaged or truncated. With libjpeg-turbo's message or one of ours.
    case damaged(String)
    /// A valid picture of a kind that is not supported, such as a CMYK JPEG.
    case unsupported(String)
    /// The picture or the photo would be longer on one side than ``JPEGHeader/longestSide``.
    case tooLarge(width: Int, height: Int)
    /// An impossible request: an empty region, a size of zero, a quality outside 1…100.
    case badRequest(String)
    /// The library failed for a reason of its own, such as lack of memory. With its message.
    case library(String)
    /// A frame of video is damaged, or one that it depends on. With the decoder's message.
    case video(String)
    /// There is no decoder for video. With the reason.
    case noDecoder(String)

    /// Video was not decoded before.
    static let undecoded = ImagingError.badRequest("H.264 has to be decoded first")

    /// Whether the picture is the reason, and not the request or the library.
    var isOfPicture: Bool {
        switch self {
        case .damaged, .unsupported, .tooLarge, .video: true
        case .badRequest, .library, .noDecoder: false
        }
    }

    package var description: String {
        switch self {
        case .damaged(let words): "the JPEG cannot be read: \(words)"
        case .unsupported(let what): "pictures of this kind are not handled: \(what)"
        case .tooLarge(let width, let height):
            "\(width)×\(height) pixels are too many: a side may have \(JPEGHeader.longestSide)"
        case .badRequest(let what): what
        case .video(let words), .noDecoder(let words): words
        case .library(let words): "the JPEG library failed: \(words)"
        }
    }
}
