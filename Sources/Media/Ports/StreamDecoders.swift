internal import Cameras
internal import Synchronization

/// The decoders of cameras that deliver H.264, one for each stream.
///
/// What makes pictures of a stream (photos, a preview, a recording, a virtual camera) holds a lease on its
/// decoder. The decoder is made with the first lease and freed with the last one. All threads share it, so a
/// stream is decoded once for all of them.
package final class StreamDecoders: Sendable {
    /// The right of one user to a decoder. It ends when it is released.
    final class Lease {
        let stream: H264Picture.StreamID
        let decoder: StreamDecoder
        private let decoders: StreamDecoders

        fileprivate init(_ stream: H264Picture.StreamID, _ decoder: StreamDecoder, _ decoders: StreamDecoders)
        {
            (self.stream, self.decoder, self.decoders) = (stream, decoder, decoders)
        }

        deinit { decoders.leaseEnded(stream) }
    }

    private let decoders = Mutex<[H264Picture.StreamID: StreamDecoder]>([:])

    package init() {}

    /// Streams that have a decoder.
    var count: Int { decoders.withLock { $0.count } }

    func lease(_ stream: H264Picture.StreamID) -> Lease {
        let decoder = decoders.withLock { decoders in
            let decoder = decoders[stream] ?? StreamDecoder()
            decoders[stream] = decoder
            decoder.users.add(1, ordering: .relaxed)
            return decoder
        }
        return Lease(stream, decoder, self)
    }

    private func leaseEnded(_ stream: H264Picture.StreamID) {
        // The decoder is freed here, without the lock.
        _ = decoders.withLock { decoders -> StreamDecoder? in
            guard let decoder = decoders[stream],
                decoder.users.subtract(1, ordering: .relaxed).newValue == 0
            else { return nil }
            return decoders.removeValue(forKey: stream)
        }
    }
}

/// The decoder of one stream, for several users on several threads.
///
/// It goes on from the access unit that was decoded last. Pictures that several users need are decoded by
/// the first of them. Users that are behind the others, such as a recording on a slow disk, have a second
/// decoder: with a single one, each of their pictures would send the other users back to a key frame. It is
/// freed when there is one user again.
///
/// Its memory is that of at most two decoders and ``State/mostRecent`` pictures. One thread at a time
/// decodes; others wait.
final class StreamDecoder: Sendable {
    fileprivate struct State {
        /// Pictures that are kept while there are several users. A picture of 1920×1080 has 3 MB.
        static let mostRecent = 3

        /// For the newest pictures.
        var newest = H264Decoder()
        /// For users that are behind; nil: none is.
        var behind: H264Decoder?
        /// The pictures that were decoded last, for users that are a little behind.
        var recent: [(ordinal: Int, picture: PlanarPicture)] = []
        var decodings = 0
    }

    /// The count of leases.
    let users = Atomic(0)
    private let state = Mutex(State())

    /// Access units that were decoded, also damaged ones.
    var decodings: Int { state.withLock { $0.decodings } }

    /// Decodes a picture of the stream, unless it is among the recent ones.
    ///
    /// - Throws: as ``H264Decoder/picture(of:)``.
    func picture(of video: H264Picture) throws(MovieError) -> PlanarPicture {
        let isShared = users.load(ordering: .relaxed) > 1
        return try state.withLock { state throws(MovieError) in
            try state.picture(of: video, isShared: isShared)
        }
    }
}

extension StreamDecoder.State {
    fileprivate mutating func picture(
        of video: H264Picture, isShared: Bool
    ) throws(MovieError) -> PlanarPicture {
        // The decoder itself has the last picture.
        if !isShared { (behind, recent) = (nil, []) }
        let ordinal = video.units.last?.ordinal
        if let found = recent.first(where: { $0.ordinal == ordinal }) { return found.picture }
        let decoder = decoder(for: ordinal, isShared)
        let before = decoder.decodings
        defer { decodings += decoder.decodings - before }
        let picture = try decoder.picture(of: video)
        if isShared, let ordinal { keep(picture, ordinal) }
        return picture
    }

    private mutating func decoder(for ordinal: Int?, _ isShared: Bool) -> H264Decoder {
        guard isShared, let ordinal, let last = newest.lastOrdinal, ordinal < last else { return newest }
        let decoder = behind ?? H264Decoder()
        behind = decoder
        return decoder
    }

    private mutating func keep(_ picture: PlanarPicture, _ ordinal: Int) {
        if recent.count >= Self.mostRecent { recent.removeFirst() }
        recent.append((ordinal, picture))
    }
}
