internal import NIOCore

/// A JPEG that is sent to any number of pages without a copy for each.
final class PictureBuffer {
    let buffer: ByteBuffer
    init(_ bytes: [UInt8]) { buffer = ByteBuffer(bytes: bytes) }
}
