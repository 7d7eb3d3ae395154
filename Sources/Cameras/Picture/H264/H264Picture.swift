internal import Synchronization

/// A picture of H.264, with the access units that a decoder needs before it.
package struct H264Picture: Sendable {
    /// Identifies a stream within this process: a decoder continues only within one.
    package struct StreamID: Sendable, Hashable {
        private static let last = Atomic<Int>(0)
        private let number: Int

        package init() { number = Self.last.add(1, ordering: .relaxed).newValue }
    }

    package let stream: StreamID
    /// Pixels in a row, by the sequence's parameters.
    package let width: Int
    /// Rows.
    package let height: Int
    /// The access units from a key frame to this picture, which is the last one. There may be several key
    /// frames, for recordings that store the stream; a decoder begins with the last of them.
    package let units: [H264AccessUnit]

    /// - Parameter units: at least one of them is a key frame.
    package init(stream: StreamID, width: Int, height: Int, units: [H264AccessUnit]) {
        (self.stream, self.width, self.height, self.units) = (stream, width, height, units)
    }

    /// The access units of which the picture is decoded: from the newest key frame on.
    package var unitsToDecode: ArraySlice<H264AccessUnit> {
        units[(units.lastIndex(where: \.isKey) ?? units.endIndex)...]
    }
}
