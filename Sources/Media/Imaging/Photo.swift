/// A JPEG file made by ``PhotoMaker``, and its properties.
package struct Photo: Sendable, Equatable {
    /// The whole JPEG file.
    package let bytes: [UInt8]
    /// Pixels in a row.
    package let width: Int
    /// Rows.
    package let height: Int
    /// JPEG quality, 1…100; nil when it is the camera's own JPEG, untouched or turned without loss.
    package let quality: Int?
}

/// The same, in memory of the maker or of the picture that was passed through: valid only while it is lent.
struct BorrowedPhoto {
    /// The whole JPEG file.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Pixels in a row.
    let width: Int
    /// Rows.
    let height: Int
    /// JPEG quality, 1…100; nil when it is the camera's own JPEG, untouched or turned without loss.
    let quality: Int?
}
