import Cameras
import Glibc

@testable import Media

nonisolated(unsafe) private let decoder = made { () throws(ImagingError) in try JPEGDecoder() }
nonisolated(unsafe) private let reference = made { () throws(ImagingError) in try JPEGDecoder() }
nonisolated(unsafe) private let frames = made { () throws(ImagingError) in try FrameMaker() }
nonisolated(unsafe) private let photos = made { () throws(ImagingError) in try PhotoMaker() }
nonisolated(unsafe) private let turner = made { () throws(ImagingError) in try JPEGTurner() }
nonisolated(unsafe) private let scaler = PlaneScaler()

private func made<Value>(_ make: () throws(ImagingError) -> Value) -> Value {
    guard let value = try? make() else { fatalError("no memory at the start") }
    return value
}

/// Pictures with more pixels than this are only looked at: decoding them would be all that the fuzzer does.
private let pixelsAtMost = 1 << 18

/// A request (`PictureRequest`), and the bytes of a JPEG as a driver delivers them. Whatever they are, what
/// comes is an error, or a picture of the requested size; and the rows that are decoded alone are
/// those of the whole.
///
/// All is made with the same few objects, one input after the other, as the agent does: so what one leaves
/// behind meets the next.
func checkPhotos(_ bytes: [UInt8]) {
    let request = PictureRequest(bytes.prefix(PictureRequest.length))
    let jpeg = Array(bytes.dropFirst(PictureRequest.length))
    resampleGuarded(jpeg, request)
    guard let head = checkHead(of: jpeg), head.width * head.height <= pixelsAtMost, !request.isSlow else {
        return
    }
    decodeGuarded(jpeg, head, request)
    guard let whole = try? decoder.decode(jpeg, choose: { _ in (1, 0..<head.height) }) else {
        _ = try? decoder.decode(jpeg) { head in
            let height = (head.height + request.reduction - 1) / request.reduction
            return (request.reduction, request.rows(of: height))
        }
        checkFrame(of: jpeg, request, head, isSound: false)
        expect(turned(jpeg, isSound: false) == nil, "a damaged picture is turned")
        return
    }
    expect(whole.top == 0, "all of a picture begins at row \(whole.top)")
    checkSizes(whole.planes, head.sampling, head.width, head.height)
    checkTurn(of: jpeg, whole.planes)
    checkRows(of: jpeg, head, request)
    checkFrame(of: jpeg, request, head, isSound: true)
    if request.makesPhoto { checkPhoto(of: jpeg, request) }
}

/// A header's values are within the limits, and an error about it is short.
private func checkHead(of jpeg: [UInt8]) -> JPEGHeader? {
    do throws(ImagingError) {
        let head = try decoder.head(of: jpeg)
        let sides = 1...JPEGHeader.longestSide
        expect(
            sides.contains(head.width) && sides.contains(head.height),
            "a picture of \(head.width)×\(head.height)")
        // A camera's JPEG is refused by this size: the decoder must not find another one.
        let size = JPEGFrameHeader(jpeg).map { ($0.width, $0.height) }
        expect(
            size ?? (0, 0) == (head.width, head.height),
            "\(head.width)×\(head.height) pixels are decoded, \(size ?? (0, 0)) were compared with the mode")
        return head
    } catch {
        check(error)
        return nil
    }
}

private func check(_ error: ImagingError) {
    expect((10...512).contains(error.description.utf8.count), "an error is \"\(error)\"")
}

func checkSizes(_ planes: Planes, _ sampling: Sampling, _ width: Int, _ height: Int) {
    expect(planes.sampling == sampling, "\(planes.sampling) instead of \(sampling)")
    expect((planes.width, planes.height) == (width, height), "\(planes.width)×\(planes.height)")
    for index in 0..<planes.count {
        let size = sampling.size(ofPlane: index, width: width, height: height)
        let plane = planes[index]
        expect((plane.width, plane.height) == size, "plane \(index): \(plane.width)×\(plane.height)")
        expect(plane.stride >= plane.width, "plane \(index): rows of \(plane.stride)")
        // Each sample can be read.
        var sum = 0
        for row in 0..<plane.height {
            sum += Int(plane.base[row * plane.stride]) + Int(plane.base[row * plane.stride + plane.width - 1])
        }
        expect(sum >= 0, "")
    }
}

/// One of the turns, by the length of the picture.
private func turn(of jpeg: [UInt8]) -> Orientation { Orientation.allCases[1 + jpeg.count % 7] }

/// Nil: it can't be turned without loss.
private func turned(_ jpeg: [UInt8], isSound: Bool) -> [UInt8]? {
    do throws(ImagingError) {
        return try turner.turn(jpeg, by: turn(of: jpeg)) { Array($0) }
    } catch {
        check(error)
        if isSound { fatalError("a sound picture can't be turned: \(error)") }
        return nil
    }
}

/// A picture that was turned without loss, and back, has the same samples.
private func checkTurn(of jpeg: [UInt8], _ whole: Planes) {
    guard let there = turned(jpeg, isSound: true),
        let back = try? turner.turn(there, by: turn(of: jpeg).inverse, { Array($0) })
    else { return }
    guard let again = try? reference.decode(back) else { fatalError("a turned picture isn't sound") }
    checkSizes(again, whole.sampling, whole.width, whole.height)
    for index in 0..<whole.count {
        let (one, other) = (whole[index], again[index])
        for row in 0..<one.height {
            let same =
                memcmp(one.base + row * one.stride, other.base + row * other.stride, one.width) == 0
            expect(same, "turned and turned back: row \(row) of plane \(index) is another one")
        }
    }
}

/// Rows that are decoded alone are, sample by sample, those of the whole picture in the same reduction.
private func checkRows(of jpeg: [UInt8], _ head: JPEGHeader, _ request: PictureRequest) {
    let height = (head.height + request.reduction - 1) / request.reduction
    let rows = request.rows(of: height)
    let whole: JPEGDecoder.Part
    do throws(ImagingError) {
        whole = try reference.decode(jpeg) { _ in (request.reduction, 0..<height) }
    } catch {
        fatalError("a sound picture isn't, \(request.reduction) times smaller: \(error)")
    }
    let part: JPEGDecoder.Part
    do throws(ImagingError) {
        part = try decoder.decode(jpeg) { _ in (request.reduction, rows) }
    } catch {
        fatalError("rows \(rows) of a sound picture aren't: \(error)")
    }
    let width = (head.width + request.reduction - 1) / request.reduction
    checkSizes(whole.planes, whole.planes.sampling, width, height)
    checkSizes(part.planes, whole.planes.sampling, width, part.planes.height)
    expect(
        part.top <= rows.lowerBound && part.top + part.planes.height >= rows.upperBound
            && part.top + part.planes.height <= height,
        "rows \(rows) are requested, and \(part.planes.height) from \(part.top) come")
    for index in 0..<part.planes.count {
        let (all, some) = (whole.planes[index], part.planes[index])
        let top = index == 0 ? part.top : part.top / part.planes.sampling.rows
        for row in 0..<some.height {
            let there = all.base + (top + row) * all.stride
            let same = memcmp(there, some.base + row * some.stride, some.width) == 0
            expect(same, "1/\(request.reduction), rows \(rows): row \(row) of plane \(index) is another one")
        }
    }
}

/// What is shown of a part that was decoded alone is what is shown of that part of the whole.
private func checkFrame(of jpeg: [UInt8], _ request: PictureRequest, _ head: JPEGHeader, isSound: Bool) {
    let made: Planes
    do throws(ImagingError) {
        // Those of a JPEG are in memory of the maker, and stay until its next call.
        made = try frames.withPlanes(
            of: .jpeg(jpeg), showing: request.region, width: request.width, height: request.height,
            sampling: request.sampling, effect: request.effect
        ) { $0 }
    } catch {
        check(error)
        if isSound {
            switch error {
            case .badRequest, .tooLarge: break
            case .damaged, .unsupported, .library, .video, .noDecoder:
                fatalError("a part of a sound picture isn't: \(error)")
            }
        }
        return
    }
    // What has no colour gets some to be tinted with.
    let own = request.effect == .sepia && head.sampling == .gray ? Sampling.yuv420 : head.sampling
    checkSizes(made, request.sampling ?? own, request.width, request.height)
    guard isSound, let region = try? request.region.insidePicture() else { return }
    let reduction = reduction(of: head, region, request)
    guard
        let whole = try? reference.decode(
            jpeg, choose: { _ in (reduction, 0..<(head.height + reduction - 1) / reduction) })
    else { fatalError("a sound picture isn't, \(reduction) times smaller") }
    // Sides of the smaller picture are rounded up; the part that is shown isn't.
    let smaller = (Double(head.width) / Double(reduction), Double(head.height) / Double(reduction))
    let window = Window(
        planes: whole.planes, x: region.x * smaller.0, y: region.y * smaller.1,
        width: region.width * smaller.0, height: region.height * smaller.1)
    let expected = scaler.scale(
        window, to: request.sampling ?? head.sampling, width: request.width, height: request.height)
    // An effect makes steps of slopes.
    if request.effect == .none || request.effect == .negative {
        compare(made, expected, window, request.effect)
    }
}

/// As `FrameMaker` promises: as small as can be without having to be scaled up again.
private func reduction(of head: JPEGHeader, _ region: Region, _ request: PictureRequest) -> Int {
    let (width, height) = (region.width * Double(head.width), region.height * Double(head.height))
    return [8, 4, 2].first {
        width >= Double($0 * request.width) && height >= Double($0 * request.height)
    } ?? 1
}

private func compare(_ made: Planes, _ expected: Planes, _ window: Window, _ effect: Effect) {
    for index in 0..<made.count {
        let spans = window.spans(
            ofPlane: index, made.sampling, width: made.width, height: made.height)
        // Boxes begin where the part does.
        if min(spans.across.ratio, spans.down.ratio) > 2 { continue }
        let (one, other) = (made[index], expected[index])
        let isTurned = effect == .negative
        for row in 0..<one.height {
            for column in 0..<one.width {
                let sample = Int(one.base[row * one.stride + column])
                let there = Int(other.base[row * other.stride + column])
                let difference = abs(sample - (isTurned ? 255 - there : there))
                expect(
                    difference <= 2,
                    "sample \(column) of row \(row) of plane \(index) is \(difference) off: \(spans)")
            }
        }
    }
}

/// A photo has the requested size, and can be decoded.
private func checkPhoto(of jpeg: [UInt8], _ request: PictureRequest) {
    do throws(ImagingError) {
        let fitting = PhotoSize(width: request.width, height: request.height)
        let photo = try photos.photo(
            of: .jpeg(jpeg), showing: request.region, fitting: fitting, quality: request.reduction * 12,
            effect: request.effect)
        expect(
            photo.width <= request.width && photo.height <= request.height,
            "a photo of \(photo.width)×\(photo.height)")
        let planes: Planes
        do throws(ImagingError) {
            planes = try decoder.decode(photo.bytes)
        } catch {
            fatalError("a photo can't be decoded: \(error)")
        }
        expect((planes.width, planes.height) == (photo.width, photo.height), "a photo of another size")
        try photos.withJPEG(
            of: .jpeg(jpeg), showing: request.region, width: request.width, height: request.height,
            sampling: .yuv420, effect: request.effect
        ) { lent in
            expect((lent.width, lent.height) == (request.width, request.height), "a frame of another size")
            guard let head = try? decoder.head(of: Array(lent.bytes)) else { fatalError("no JPEG was made") }
            expect(
                head.sampling == .yuv420 && (head.width, head.height) == (request.width, request.height),
                "a frame of another kind")
        }
    } catch {
        check(error)
        switch error {
        case .badRequest, .tooLarge: break
        case .damaged, .unsupported, .library, .video, .noDecoder:
            fatalError("no photo of a sound picture: \(error)")
        }
    }
}
