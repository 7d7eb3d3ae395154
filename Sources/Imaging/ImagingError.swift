/// Why a photo could not be made.
package enum ImagingError: Error, Equatable, CustomStringConvertible {
    /// The bytes are no JPEG, or a damaged or truncated one. In the words of libjpeg-turbo, or of this room.
    case damaged(String)
    /// A sound picture of a kind that this room doesn't handle, such as a CMYK JPEG.
    case unsupported(String)
    /// The picture or the photo would be longer on one side than ``JPEGHeader/longestSide``.
    case tooLarge(width: Int, height: Int)
    /// An impossible request: an empty region, a size of zero, a quality outside 1…100.
    case badRequest(String)
    /// The library failed on its own account, for lack of memory for instance. In its own words.
    case library(String)

    package var description: String {
        switch self {
        case .damaged(let words): "the JPEG cannot be read: \(words)"
        case .unsupported(let what): "pictures of this kind are not handled: \(what)"
        case .tooLarge(let width, let height):
            "\(width)×\(height) pixels are too many: a side may have \(JPEGHeader.longestSide)"
        case .badRequest(let what): what
        case .library(let words): "the JPEG library failed: \(words)"
        }
    }
}
