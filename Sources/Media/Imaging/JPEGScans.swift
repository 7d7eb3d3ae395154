internal import CJPEG
internal import Glibc

/// Refuses a JPEG of more scans than ``JPEGDecoder`` takes: each costs a decoder the time of a whole picture,
/// and a short file has room for hundreds.
///
/// The markers are read as a decoder reads them (ITU-T T.81, annex B), and nothing is decoded. What follows
/// the end of the image doesn't count.
///
/// - Throws: ``ImagingError/damaged(_:)``.
func checkScans(ofJPEG bytes: UnsafeBufferPointer<UInt8>) throws(ImagingError) {
    guard var place = bytes.baseAddress else { return }
    let end = place + bytes.count
    var scans = 0
    while let found = memchr(place, 0xFF, end - place) {
        place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        // Any number of 0xFF may stand before a marker.
        while place < end, place.pointee == 0xFF { place += 1 }
        guard place < end else { return }
        let marker = place.pointee
        place += 1
        switch marker {
        // A byte of data, and markers without a segment.
        case 0x00, 0x01, 0xD0...0xD8: continue
        case 0xD9: return
        case 0xDA:
            scans += 1
            if scans > JPEG_MOST_SCANS { throw .damaged("it has more than \(JPEG_MOST_SCANS) scans") }
        default: break
        }
        guard end - place >= 2 else { return }
        let length = Int(place[0]) << 8 | Int(place[1])
        guard length <= end - place else { return }
        place += max(2, length)
    }
}
