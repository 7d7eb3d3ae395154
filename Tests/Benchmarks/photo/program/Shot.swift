import CPhotoLibraries
import Cameras
import Media

/// A photo to measure: a part of the source, its middle, at a size.
struct Shot {
    let name: String
    let zoom: Int
    let width: Int
    let height: Int
    /// What is promised: the most that ours may take of what the libraries take.
    let mostRatio: Double

    static let source = (width: 1920, height: 1080)

    static let all =
        [(1, 1.3), (2, 0.95), (4, 0.8), (8, 0.8)].map { zoom, mostRatio in
            Shot(
                name: "\(zoom)x", zoom: zoom, width: source.width, height: source.height, mostRatio: mostRatio
            )
        } + [Shot(name: "preview", zoom: 1, width: 640, height: 360, mostRatio: 0.5)]

    /// The same pixels for all programs, from whole ones: at 8x the middle is half a row lower.
    var part: photo_part {
        let (across, down) = (Self.source.width / zoom, Self.source.height / zoom)
        return photo_part(
            x: Int32((Self.source.width - across) / 2), y: Int32((Self.source.height - down) / 2),
            width: Int32(across), height: Int32(down))
    }

    var region: Region {
        let (width, height) = (Double(Self.source.width), Double(Self.source.height))
        return Region(
            x: Double(part.x) / width, y: Double(part.y) / height, width: Double(part.width) / width,
            height: Double(part.height) / height)
    }
}
