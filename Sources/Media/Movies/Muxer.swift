internal import CAV

/// What puts packets into a file of a container's format.
final class Muxer {
    private let pointer: OpaquePointer
    private let file: MovieFile

    /// - Parameter kind: libavformat's name of the container.
    init(_ kind: String, into file: MovieFile) throws(MovieError) {
        var pointer: OpaquePointer?
        // The muxer holds the file for as long as it lives.
        let context = Unmanaged.passUnretained(file).toOpaque()
        let result = cav_open_muxer(kind, writeToFile, context, &pointer)
        guard let pointer, result == 0 else {
            throw MovieError(doing: "make a file of \(kind)", error: result)
        }
        self.pointer = pointer
        self.file = file
    }

    deinit { cav_close_muxer(pointer) }

    func set(_ name: String, _ value: String) throws(MovieError) {
        try check(cav_set(pointer, name, value), doing: "set \(name)")
    }

    /// - Parameter parameterSets: in Annex B.
    func addH264(_ track: cav_track, parameterSets: [UInt8]) throws(MovieError) {
        try check(
            cav_add_h264(pointer, track, parameterSets, parameterSets.count), doing: "add a track")
    }

    func addJPEGs(_ track: cav_track) throws(MovieError) {
        try check(cav_add_jpegs(pointer, track), doing: "add a track")
    }

    func addSound(_ encoder: CodecEncoder) throws(MovieError) {
        try check(cav_add_sound(pointer, encoder.pointer), doing: "add a track")
    }

    func begin() throws(MovieError) {
        try check(cav_begin(pointer), doing: "begin \(file.path)")
        file.markPlayable()
    }

    func write(_ packet: cav_packet, track: Int32) throws(MovieError) {
        let result = withUnsafePointer(to: packet) { cav_mux(pointer, track, $0) }
        try check(result, doing: "write a frame")
        // A packet is written with all of its fragment or cluster, or waits for it in memory.
        file.markPlayable()
    }

    func end() throws(MovieError) {
        try check(cav_end(pointer), doing: "end \(file.path)")
        file.markPlayable()
    }

    /// Writes the contents of the file at `path`; used instead of all other methods.
    ///
    /// - Parameter length: how long the last picture is shown.
    func copy(_ path: String, lastPicture length: Duration) throws(MovieError) -> cav_contents {
        var contents = cav_contents()
        // What has a colon isn't to be taken for a URL of another kind.
        try check(cav_copy(pointer, "file:" + path, length / .seconds(1), &contents), doing: "copy \(path)")
        file.markPlayable()
        return contents
    }

    private func check(_ result: Int32, doing: String) throws(MovieError) {
        if let failure = file.failure { throw failure }
        if result < 0 { throw MovieError(doing: doing, error: result) }
    }
}

private func writeToFile(
    _ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ offset: Int64
) -> Int32 {
    guard let context, let bytes else { return 0 }
    return Unmanaged<MovieFile>.fromOpaque(context).takeUnretainedValue()
        .write(bytes, count: count, at: Int(offset))
}
