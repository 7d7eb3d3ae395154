internal import CTurboJPEG

/// Owns one of TurboJPEG's instances.
///
/// One for decoding reads one picture: after a failure in its header TurboJPEG 2.1 goes on where it stopped,
/// in the next picture, and the tables of one picture stay in force for one that lacks its own. A new one
/// costs 0.2 µs.
final class TurboJPEGHandle {
    let pointer: tjhandle

    /// - Parameter pointer: what `tjInitCompress` or `tjInitDecompress` gave.
    /// - Throws: ``ImagingError/library(_:)`` when that is nothing.
    init(_ pointer: tjhandle?) throws(ImagingError) {
        guard let pointer else { throw .library(String(cString: tjGetErrorStr2(nil))) }
        self.pointer = pointer
    }

    deinit {
        tjDestroy(pointer)
    }

    /// What the library said of the last failure.
    var lastWords: String { String(cString: tjGetErrorStr2(pointer)) }
}
