internal import Cameras

/// Memory for the planes of one picture, kept from one picture to the next (see ``Scratch``).
final class PlaneBuffer {
    /// Rows below each plane: a precaution against JPEGs with sampling factors that were not considered.
    private static let spareRows = 32

    private let memory = Scratch()

    /// Makes room for a picture, whose samples are then to be written to each plane's `target`.
    ///
    /// - Returns: planes that stay until the next call.
    func layOut(_ sampling: Sampling, width: Int, height: Int) -> Planes {
        let luma = Self.room(sampling, 0, width, height)
        let chroma = Self.room(sampling, 1, width, height)
        let base = memory.room(for: luma.length + (sampling == .gray ? 0 : 2 * chroma.length))
        func plane(_ room: Room, at offset: Int) -> Planes.Plane {
            Planes.Plane(base: base + offset, stride: room.stride, width: room.width, height: room.height)
        }
        return Planes(
            sampling: sampling, luma: plane(luma, at: 0),
            chroma: sampling == .gray
                ? nil : (plane(chroma, at: luma.length), plane(chroma, at: luma.length + chroma.length)))
    }

    private struct Room {
        let width: Int
        let height: Int
        let stride: Int
        let length: Int
    }

    private static func room(_ sampling: Sampling, _ index: Int, _ width: Int, _ height: Int) -> Room {
        let size = sampling.size(ofPlane: index, width: width, height: height)
        let stride = (size.width + Scratch.alignment) / Scratch.alignment * Scratch.alignment
        return Room(
            width: size.width, height: size.height, stride: stride,
            length: (size.height + spareRows) * stride)
    }
}

extension Planes.Plane {
    /// Where to write the samples of a plane that a ``PlaneBuffer`` has laid out. No other may be written to.
    var target: UnsafeMutablePointer<UInt8> { UnsafeMutablePointer(mutating: base) }
}
