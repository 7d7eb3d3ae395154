internal import Cameras

/// The restart intervals of a device's JPEGs (DRI), in MCUs: no driver reports them, so they are learned from
/// the first frame of each format.
struct RestartIntervals {
    private struct Format: Equatable {
        let pixelFormat: String
        let width: Int
        let height: Int
    }

    /// In the order in which they were learned.
    private var known: [(format: Format, interval: Int)] = []

    /// Learns from a frame. Returns whether that of its format wasn't known before.
    ///
    /// - Parameter mode: of the device. A frame may have been made in the mode before: its own size counts.
    mutating func learn(from picture: Picture, _ mode: CameraMode) -> Bool {
        let (picture, orientation) =
            if case .oriented(let inner, let own) = picture { (inner, own) } else { (picture, .upright) }
        guard case .jpeg(let bytes) = picture, mode.pixelFormat != CameraDescription.videoFormat else {
            return false
        }
        let present = Format(pixelFormat: mode.pixelFormat, width: mode.width, height: mode.height)
        if known.contains(where: { $0.format == present }) { return false }
        guard let header = JPEGFrameHeader(bytes) else { return false }
        let size = orientation.size(header.width, header.height)
        let format = Format(pixelFormat: mode.pixelFormat, width: size.width, height: size.height)
        if known.contains(where: { $0.format == format }) { return false }
        known.append((format, header.restartInterval))
        return true
    }

    /// The interval of a format; 0: its JPEGs have no restart markers; nil: there was no frame yet, or it is
    /// no JPEG. Of a format with a range of sizes: what was learned last of any of them.
    subscript(format: CameraDescription.Format) -> Int? {
        known.last { known in
            let isLarger = known.format.width > format.width || known.format.height > format.height
            let isOwn = (known.format.width, known.format.height) == (format.width, format.height)
            return known.format.pixelFormat == format.pixelFormat
                && (isOwn || (format.range != nil && !isLarger))
        }?.interval
    }
}
