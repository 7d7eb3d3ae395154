/// A JPEG file made by ``PhotoMaker``, and its properties.
package struct PhotoFile<Bytes> {
    /// The whole JPEG file.
    package let bytes: Bytes
    /// Pixels in a row.
    package let width: Int
    /// Rows.
    package let height: Int
    /// JPEG quality, 1…100; nil when it is the camera's own JPEG, untouched or turned without loss.
    package let quality: Int?
}

extension PhotoFile: Sendable where Bytes: Sendable {}
extension PhotoFile: Equatable where Bytes: Equatable {}

package typealias Photo = PhotoFile<[UInt8]>

/// In memory of the maker or of the picture that was passed through: valid only while it is lent.
package typealias BorrowedPhoto = PhotoFile<UnsafeBufferPointer<UInt8>>

extension BorrowedPhoto {
    /// A copy that stays.
    var copy: Photo { Photo(bytes: Array(bytes), width: width, height: height, quality: quality) }
}
