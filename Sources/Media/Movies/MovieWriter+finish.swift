internal import Base
internal import CAV
internal import CLinux
internal import Settings

extension MovieWriter {
    /// Files with this at the end of their name are what a crash left of ``finish()``: the movie itself is
    /// beside them.
    static let partSuffix = ".part"

    /// Ends the movie: what stays is a file that plays, or none if there was no frame.
    ///
    /// Doesn't fail: there is always a result, with what went wrong in it. It takes as long as copying the
    /// file (MP4), and until the disk has the file and its name.
    @discardableResult package func finish() -> MovieResult {
        if let result { return result }
        close()
        var (frames, duration) = (frames, duration)
        var failure = failure
        var finalizationError: MovieError?
        var isProvisional = file.failure != nil
        do throws(MovieError) {
            try file.settle()
        } catch {
            failure = failure ?? error
        }
        if isProvisional {
            // Frames that were cut off are not counted.
            var contents = cav_contents()
            cav_read("file:" + path, &contents)
            frames = Int(contents.pictures)
            duration = frames == 0 ? .zero : .seconds(contents.last + 1 / format.rate)
        }
        if frames == 0 { file.remove() }
        var bytes = file.size
        if frames > 0 && format.codec == .h264 {
            do throws(MovieError) {
                bytes = try makePlain(frames: frames)
                isProvisional = false
            } catch {
                (isProvisional, finalizationError) = (true, error)
            }
        }
        if frames > 0 {
            do throws(FileError) {
                try Files.sync(folderOf: path)
            } catch {
                failure = failure ?? MovieError(error)
            }
        }
        let result = MovieResult(
            path: path, bytes: bytes, frames: frames, duration: duration, encoder: encoder,
            isProvisional: isProvisional && frames > 0, failure: failure,
            finalizationError: finalizationError)
        self.result = result
        return result
    }

    /// Puts an MP4 without fragments, its index in front, in the place of the file. Not each player supports
    /// fragments.
    ///
    /// - Returns: its size in bytes.
    private func makePlain(frames: Int) throws(MovieError) -> Int {
        let plain = try MovieFile(path: path + Self.partSuffix, disk: disk, replacing: true)
        do throws(MovieError) {
            let index = indexBytes
            try plain.reserve(file.size + index)
            let muxer = try Muxer("mp4", into: plain)
            try muxer.set("moov_size", String(index))
            try muxer.set("video_track_timescale", String(PictureEncoder.timescale))
            let contents = try muxer.copy(path, lastPicture: .seconds(1 / format.rate))
            if contents.pictures != frames {
                throw .codec("copying \(path) found \(contents.pictures) of \(frames) frames")
            }
            try plain.settle()
            try plain.replace(path)
            return plain.size
        } catch {
            plain.remove()
            throw error
        }
    }
}
