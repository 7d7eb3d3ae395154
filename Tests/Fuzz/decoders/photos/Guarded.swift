import CJPEG
import Cameras
import Glibc

@testable import Media

// libjpeg-turbo and libyuv aren't built with AddressSanitizer: what they read and write too far is seen here
// by memory that ends where the samples do.

/// Memory whose end is that of what is accessible.
private struct Guarded {
    private let end: UnsafeMutablePointer<UInt8>
    let length: Int

    init(_ length: Int) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        self.length = (length + page - 1) / page * page
        guard
            let start = mmap(
                nil, self.length + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED, mprotect(start + self.length, page, PROT_NONE) == 0
        else { fatalError("no memory at the start") }
        end = (start + self.length).assumingMemoryBound(to: UInt8.self)
    }

    func last(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        expect(count <= length, "\(count) bytes of \(length)")
        return end - count
    }
}

nonisolated(unsafe) private let file = Guarded(1 << 16)
nonisolated(unsafe) private let targets = (0..<3).map { _ in Guarded(1 << 20) }
nonisolated(unsafe) private let reader = jpeg_reader_new()

/// Decodes into memory that ends with the last row that CJPEG promises to write.
func decodeGuarded(_ jpeg: [UInt8], _ head: JPEGHeader, _ request: PictureRequest) {
    guard let reader, jpeg.count <= file.length else { return }
    let bytes = file.last(jpeg.count)
    bytes.update(from: jpeg, count: jpeg.count)
    var found = jpeg_head()
    var layout = jpeg_layout()
    guard jpeg_reader_open(reader, bytes, jpeg.count, &found) == 0,
        jpeg_reader_lay_out(reader, Int32(request.reduction), &layout) == 0
    else { return }
    expect((Int(found.width), Int(found.height)) == (head.width, head.height), "two reads of a header differ")
    let sampling: Sampling
    if head.sampling == .gray {
        sampling = .gray
    } else {
        guard let smaller = Sampling(columns: Int(layout.columns), rows: Int(layout.rows)) else {
            fatalError("chroma of \(layout.columns)×\(layout.rows) in \(head.sampling)")
        }
        sampling = smaller
    }
    let (width, height) = (
        (head.width + request.reduction - 1) / request.reduction,
        (head.height + request.reduction - 1) / request.reduction
    )
    let group = Int(layout.group)
    expect((1...32).contains(group), "groups of \(group) rows")
    let rows = request.rows(of: height)
    let first = rows.lowerBound / group * group
    let block = 16 * sampling.columns
    let (columns, lines) = (
        (width + block - 1) / block * block, (rows.upperBound - first + group - 1) / group * group
    )
    var places: [jpeg_target] = []
    for index in 0..<3 {
        let size = sampling.size(ofPlane: min(index, sampling.planes - 1), width: columns, height: lines)
        let start = targets[index].last(size.width * size.height)
        places.append(jpeg_target(start: start, stride: Int32(size.width)))
    }
    _ = places.withUnsafeBufferPointer {
        jpeg_reader_decode(reader, Int32(first), Int32(rows.upperBound), $0.baseAddress)
    }
}

nonisolated(unsafe) private let sources = (0..<3).map { _ in Guarded(1 << 16) }
nonisolated(unsafe) private let scaler = PlaneScaler()

/// Scales planes that are the bytes themselves, and that end where accessible memory does: any window of
/// them, to any size.
func resampleGuarded(_ samples: [UInt8], _ request: PictureRequest) {
    guard !request.isSlow, let region = try? request.region.insidePicture(),
        (1...JPEGHeader.longestSide).contains(request.width),
        (1...JPEGHeader.longestSide).contains(request.height),
        let last = samples.last
    else { return }
    let width = Int(last) % 97 + 1
    let height = min(samples.count / width, 200)
    guard height > 0 else { return }
    // Of a kind that the request doesn't ask for.
    let kinds = Sampling.allCases
    let sampling = kinds[(samples.count + Int(last)) % kinds.count]
    let planes = (0..<sampling.planes).map { index in
        let size = sampling.size(ofPlane: index, width: width, height: height)
        let start = sources[index].last(size.width * size.height)
        for place in 0..<size.width * size.height { start[place] = samples[place % samples.count] }
        return Planes.Plane(base: start, stride: size.width, width: size.width, height: size.height)
    }
    let source = Planes(
        sampling: sampling, luma: planes[0], chroma: planes.count == 3 ? (planes[1], planes[2]) : nil)
    let made = scaler.scale(
        Window(region, of: source), to: request.sampling ?? sampling, width: request.width,
        height: request.height)
    checkSizes(made, request.sampling ?? sampling, request.width, request.height)
}
