internal import CAV
internal import CLinux
import Cameras
internal import Settings

/// Writes one movie: a file that plays, whatever happens.
///
/// While it is written, the file is always one that plays up to the last second or so, even when the process
/// is killed. For the thread on which it was made; all of it may block for as long as disk and encoder
/// please.
final class MovieWriter {
    let format: MovieFormat
    let path: String
    /// Pictures written so far.
    private(set) var frames = 0

    private let libraries: MovieLibraries.Loaded
    private let hardware: HardwareEncoders
    let file: MovieFile
    let disk: MovieDisk
    private(set) var muxer: Muxer?
    private var pictures: PictureEncoder?
    private var sound: SoundTrack?
    private var stream = H264Stream()

    private var clock: FrameClock
    /// Sound that came before the first picture was written.
    private var early: [(samples: [Int16], at: Duration)] = []
    private var space = SpaceEstimate()
    /// The error that has ended the writing. What was written before is kept.
    private(set) var failure: MovieError?
    /// Once the movie is finished.
    var result: MovieResult?

    /// Makes the file.
    ///
    /// - Parameters:
    ///   - path: of a file that isn't there yet.
    ///   - libraries: by another name, for tests.
    ///   - disk: a smaller one, for tests.
    ///   - hardware: other encoders, for tests.
    /// - Throws: ``MovieError/missing(_:)``, ``MovieError/unsupported(_:)``; or what a file that can't be
    ///   made is.
    init(
        path: String, format: MovieFormat, libraries: MovieLibraries = .installed,
        disk: MovieDisk = MovieDisk(), hardware: HardwareEncoders = .installed
    ) throws(MovieError) {
        try Self.check(format)
        self.libraries = try libraries.load()
        sound = if let sound = format.sound { try SoundTrack(sound) } else { nil }
        self.path = path
        self.format = format
        pictureSize = (format.width, format.height)
        (self.disk, self.hardware) = (disk, hardware)
        clock = FrameClock(timescale: Self.timescale(of: format.codec))
        file = try MovieFile(path: path, disk: disk, replacing: false, showsWholeParts: format.codec == .h264)
        do throws(MovieError) {
            try file.reserve(SpaceEstimate.fixed)
        } catch {
            file.remove()
            throw error
        }
    }

    /// Bytes of the file so far. The last second may not be among them yet.
    var bytes: Int { file.size }

    /// Bytes that the file will have when it is finished now, and one more picture is written before: not
    /// less, as estimated from the pictures so far.
    var bytesToCome: Int {
        file.size + space.held + (clock.given - frames + 1) * space.largest + space.index
    }

    /// From the first picture to the end of the last one written.
    var duration: Duration {
        frames == 0 ? .zero : clock.written + .seconds(1 / format.rate)
    }

    /// What encodes the pictures, as the library calls it; nil: nothing does, or not yet.
    private(set) var encoder: String?

    /// Pixels of the pictures in the movie: those of the format, unless the camera has encoded them.
    private(set) var pictureSize: (width: Int, height: Int)

    // MARK: Pictures

    /// Writes a JPEG as it is, into a movie of ``RecordingCodec/mjpeg``.
    ///
    /// - Parameter time: since whenever; the first frame's is the movie's start. A frame that isn't later
    ///   than the one before is left out.
    func write(jpeg: UnsafeBufferPointer<UInt8>, at time: Duration) throws(MovieError) {
        try begun(.mjpeg)
        guard jpeg.count > 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else {
            throw .unsupported("the frame is no JPEG")
        }
        guard let ticks = clock.next(time) else { return }
        try endingOnFailure { () throws(MovieError) in
            if muxer == nil { try begin { muxer throws(MovieError) in try muxer.addJPEGs(track) } }
            try write(picture: jpeg, at: ticks, isKey: true)
        }
    }

    /// Writes a JPEG as it is.
    func write(jpeg: [UInt8], at time: Duration) throws(MovieError) {
        try jpeg.withUnsafeBufferPointer { bytes throws(MovieError) in try write(jpeg: bytes, at: time) }
    }

    /// Encodes planes for a movie of ``RecordingCodec/h264``.
    ///
    /// - Parameters:
    ///   - planes: ``Sampling/yuv420``, full range, of the movie's size.
    ///   - time: since whenever; the first frame's is the movie's start. A frame that isn't later than the
    ///     one before is left out.
    func write(planes: Planes, at time: Duration) throws(MovieError) {
        try begun(.h264)
        guard planes.sampling == .yuv420, planes.width == format.width, planes.height == format.height,
            planes.planes.count == 3
        else {
            throw .unsupported(
                "the frame is \(planes.width) × \(planes.height) (\(planes.sampling)), "
                    + "not \(format.width) × \(format.height) (yuv420)")
        }
        guard let ticks = clock.next(time) else { return }
        try endingOnFailure { () throws(MovieError) in
            if pictures == nil { pictures = try PictureEncoder(format, hardware: hardware) }
            try pictures?.encode(planes, at: .units(ticks, of: timescale))
            encoder = pictures?.name
            try writeEncoded()
        }
    }

    /// Writes an access unit of H.264 as the camera encoded it, into a movie of ``RecordingCodec/h264`` that
    /// has no other pictures. The first one is a key frame with its parameter sets: they have the movie's
    /// size.
    ///
    /// - Parameters:
    ///   - accessUnit: in Annex B.
    ///   - time: as in ``write(planes:at:)``. No access unit is left out, because others refer to it: one
    ///     that isn't later than the one before is shown just after it.
    func write(accessUnit: [UInt8], isKey: Bool, at time: Duration) throws(MovieError) {
        try begun(.h264)
        guard pictures == nil else { throw .unsupported("the movie has encoded pictures") }
        try accessUnit.withUnsafeBufferPointer { bytes throws(MovieError) in
            if muxer == nil { stream.storeParameterSets(bytes) }
            guard let sets = stream.parameterSets, muxer != nil || isKey else {
                throw .unsupported("the first access unit is no key frame with its parameter sets")
            }
            let ticks = clock.nextWithoutGap(time)
            try endingOnFailure { () throws(MovieError) in
                if muxer == nil {
                    if let size = stream.size { pictureSize = size }
                    var track = track
                    track.own_colours = true
                    try begin { muxer throws(MovieError) in try muxer.addH264(track, parameterSets: sets) }
                }
                try write(h264: bytes, at: ticks, isKey: isKey)
            }
        }
    }

    /// Whether an access unit can be written by ``write(accessUnit:isKey:at:)``: it has the parameter sets of
    /// the movie, or none.
    func takes(accessUnit: [UInt8]) -> Bool {
        muxer == nil || accessUnit.withUnsafeBufferPointer(stream.hasParameterSets)
    }

    private func writeEncoded() throws(MovieError) {
        try pictures?.takePackets { packet throws(MovieError) in
            let bytes = UnsafeBufferPointer(start: packet.bytes, count: packet.count)
            if muxer == nil {
                stream.storeParameterSets(bytes)
                guard let sets = stream.parameterSets else {
                    throw .codec("the encoder \(encoder ?? "") gave no parameter sets")
                }
                try begin { muxer throws(MovieError) in try muxer.addH264(track, parameterSets: sets) }
            }
            try write(h264: bytes, at: packet.time, isKey: packet.is_key)
        }
    }

    private func write(
        h264 accessUnit: UnsafeBufferPointer<UInt8>, at ticks: Int64, isKey: Bool
    ) throws(MovieError) {
        let (stripped, isIDR) = try stream.stripped(accessUnit)
        guard let stripped else {
            return try write(picture: accessUnit, at: ticks, isKey: isKey || isIDR)
        }
        if stripped.isEmpty { return }
        try stripped.withUnsafeBufferPointer { bytes throws(MovieError) in
            try write(picture: bytes, at: ticks, isKey: isKey || isIDR)
        }
    }

    private func write(
        picture bytes: UnsafeBufferPointer<UInt8>, at ticks: Int64, isKey: Bool
    ) throws(MovieError) {
        let packet = cav_packet(
            bytes: bytes.baseAddress, count: bytes.count, time: ticks,
            duration: Int64(Double(timescale) / format.rate), is_key: isKey)
        try write(packet, track: 0)
        frames += 1
        clock.markWritten(ticks)
        try writeEarlySound()
    }

    // MARK: Sound

    /// Writes sound.
    ///
    /// - Parameters:
    ///   - samples: of the movie's channels in turn.
    ///   - time: of the first of them, on the clock of the pictures. Gaps become silence; what lies before
    ///     the first picture is left out.
    func write(sound samples: [Int16], at time: Duration) throws(MovieError) {
        try begun(format.codec)
        guard sound != nil else { throw .unsupported("the movie is silent") }
        guard samples.count % (format.sound?.channels ?? 1) == 0 else {
            throw .unsupported("sound with a part of a sample")
        }
        early.append((samples, time))
        try endingOnFailure { () throws(MovieError) in try writeEarlySound() }
    }

    private func writeEarlySound() throws(MovieError) {
        guard let sound, let start = clock.start, frames > 0 else {
            // Nothing comes of what is older than the picture can be late.
            if early.count > Self.earlyBlocks { early.removeFirst() }
            return
        }
        defer { early.removeAll() }
        for (samples, time) in early {
            try sound.add(samples, at: time - start) { packet throws(MovieError) in
                try write(packet, track: 1)
            }
        }
    }

    private static let earlyBlocks = 200

    // MARK: What all have in common

    /// Units of time in a second, of the pictures' track: what each of the containers has.
    private static func timescale(of codec: RecordingCodec) -> Int {
        codec == .mjpeg ? 1000 : PictureEncoder.timescale
    }

    private var timescale: Int { clock.timescale }

    private var track: cav_track {
        cav_track(
            width: Int32(pictureSize.width), height: Int32(pictureSize.height), timescale: Int32(timescale),
            rate: format.rate, own_colours: false)
    }

    /// Bytes to reserve at once, so that a reservation is not needed for each frame.
    private static let reservedAhead = 1 << 20

    /// Upper limit for the index of an MP4 without fragments, in bytes.
    var indexBytes: Int { space.index }

    private func begin(_ add: (Muxer) throws(MovieError) -> Void) throws(MovieError) {
        let muxer = try Muxer(format.codec == .mjpeg ? "matroska" : "mp4", into: file)
        try add(muxer)
        if let sound { try muxer.addSound(sound.encoder) }
        switch format.codec {
        case .mjpeg:
            // In milliseconds. A JPEG ends the cluster before it anyway, unless it is tiny.
            try muxer.set("cluster_time_limit", "1000")
        case .h264:
            try muxer.set("movflags", "frag_keyframe+empty_moov+default_base_moof")
            try muxer.set("video_track_timescale", String(timescale))
            // A crash costs the fragment that is not complete: where key frames come less often, or a camera
            // decides when they come, a fragment ends after a second all the same.
            let isEncodedByCamera = pictures == nil
            if isEncodedByCamera || format.encoding.keyFrameSeconds > 1 {
                try muxer.set("frag_duration", "1000000")
            }
        }
        try muxer.begin()
        self.muxer = muxer
    }

    private func write(_ packet: cav_packet, track: Int32) throws(MovieError) {
        space.add(bytes: packet.count)
        try file.reserve(space.needed, more: Self.reservedAhead)
        let before = file.size
        try muxer?.write(packet, track: track)
        if file.size != before { space.setHeld(bytes: packet.count) }
    }

    private func begun(_ codec: RecordingCodec) throws(MovieError) {
        if result != nil { throw .unsupported("the movie is finished") }
        if let failure { throw failure }
        if format.codec != codec { throw .unsupported("the movie is \(format.codec), not \(codec)") }
    }

    /// Runs `body`; an error in it ends the writing.
    private func endingOnFailure(_ body: () throws(MovieError) -> Void) throws(MovieError) {
        do throws(MovieError) {
            try body()
        } catch {
            failure = error
            throw error
        }
    }

    /// Gives the muxer all that encoders hold, and lets it write the file's end. Nothing is written any more,
    /// and nothing is held that was needed for it.
    func close() {
        defer {
            (muxer, pictures, sound, early) = (nil, nil, nil, [])
            clinux_trim_heap()
        }
        guard file.failure == nil else { return }
        do throws(MovieError) {
            if failure == nil {
                try pictures?.end()
                try writeEncoded()
                try sound?.end { packet throws(MovieError) in try write(packet, track: 1) }
            }
        } catch {
            failure = error
        }
        do throws(MovieError) {
            try muxer?.end()
        } catch {
            failure = failure ?? error
        }
    }

    private static func check(_ format: MovieFormat) throws(MovieError) {
        let (width, height) = (format.width, format.height)
        guard 16...16384 ~= width, 16...16384 ~= height else {
            throw .unsupported("a movie of \(width) × \(height) pixels")
        }
        if format.codec == .h264 && (width % 2 != 0 || height % 2 != 0) {
            throw .unsupported("H.264 of \(width) × \(height) pixels: both must be even")
        }
        guard 0.01...1000 ~= format.rate else {
            throw .unsupported("a movie of \(format.rate) frames per second")
        }
    }
}
