internal import CJPEG
internal import Cameras

/// Refuses a JPEG of more scans than ``JPEGDecoder`` takes: each costs a decoder the time of a whole picture,
/// and a short file has room for hundreds. What follows the end of the image doesn't count.
///
/// - Throws: ``ImagingError/damaged(_:)``.
func checkScans(ofJPEG bytes: UnsafeBufferPointer<UInt8>) throws(ImagingError) {
    let scans = JPEGMarkers(bytes).count { $0.code == JPEGMarkers.scan }
    if scans > JPEG_MOST_SCANS { throw .damaged("it has more than \(JPEG_MOST_SCANS) scans") }
}

/// Refuses a JPEG that is cut off.
///
/// - Throws: ``ImagingError/damaged(_:)``.
func checkEnd(ofJPEG bytes: UnsafeBufferPointer<UInt8>) throws(ImagingError) {
    guard JPEGMarkers.reachEnd(of: bytes) else { throw .damaged("it breaks off before its end") }
}
