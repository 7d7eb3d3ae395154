import Testing

@testable import Cameras

/// Which frames of a camera that delivers H.264 can be decoded.
struct H264GroupTests {
    /// 640×480, profile High, `frame_num` of 4 bits: as x264 writes it.
    private static let sequence: [UInt8] = [
        0x67, 0x64, 0x00, 0x1e, 0xac, 0xd9, 0x40, 0xa0, 0x3d, 0xa1, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00, 0x00,
        0x03,
        0x00, 0x3c, 0x0f, 0x16, 0x2d, 0x96,
    ]
    private static let picture: [UInt8] = [0x68, 0xeb, 0xe3, 0xcb, 0x22, 0xc0]
    private let start = ContinuousClock.now

    private var group = H264Group(width: 640, height: 480)

    private func unit(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, 1] + bytes }

    private var parameters: [UInt8] { unit(Self.sequence) + unit(Self.picture) }

    /// A slice with this number; `first_mb`, type P and the parameters 0 take 1, 5 and 1 bits before it.
    private func slice(_ number: UInt8, isKey: Bool = false, isReference: Bool = true, padding: Int = 8)
        -> [UInt8]
    {
        let header: UInt8 = isKey ? 0x65 : isReference ? 0x61 : 0x01
        // 1 00110 1 nnnn 11111
        let head = 0b1001_1010_0001_1111 | UInt16(number & 15) << 5
        return unit([header, UInt8(head >> 8), UInt8(head & 255)] + [UInt8](repeating: 0xAA, count: padding))
    }

    private func key(padding: Int = 8) -> [UInt8] { parameters + slice(0, isKey: true, padding: padding) }

    private mutating func add(_ frame: [UInt8], _ number: Int) -> H264Group.Outcome {
        frame.withUnsafeBufferPointer {
            group.add($0, number: number, exposedAt: start.advanced(by: .milliseconds(33 * number)))
        }
    }

    @Test func sizesOfParameters() throws {
        let found = try #require(Self.sequence.withUnsafeBufferPointer { H264SequenceParameters($0) })
        #expect((found.width, found.height, found.frameNumberBits) == (640, 480, 4))
        for length in 0..<8 {
            #expect(
                Self.sequence.prefix(length).withUnsafeBufferPointer { H264SequenceParameters($0) } == nil)
        }
    }

    @Test mutating func aPictureHasAllUnitsSinceItsKeyFrame() throws {
        #expect(add(slice(1), 1) == .refused(.awaitsKeyFrame) && group.picture == nil)
        #expect(add(key(), 2) == .taken)
        for number in 1...3 { #expect(add(slice(UInt8(number)), 2 + number) == .taken) }
        let picture = try #require(group.picture)
        #expect((picture.width, picture.height) == (640, 480))
        #expect(
            picture.unitsToDecode.map(\.number) == [2, 3, 4, 5]
                && picture.unitsToDecode.map(\.ordinal) == [1, 2, 3, 4])
        #expect(picture.unitsToDecode.first?.isKey == true && picture.units.count == 4)
    }

    @Test mutating func theGroupBeforeIsKeptForThoseWhoStoreIt() throws {
        for round in 0..<3 {
            #expect(add(key(), round * 2) == .taken)
            #expect(add(slice(1), round * 2 + 1) == .taken)
        }
        let picture = try #require(group.picture)
        #expect(
            picture.units.map(\.number) == [2, 3, 4, 5] && picture.unitsToDecode.map(\.number) == [4, 5])
    }

    @Test mutating func aGapOfTheDriverWaitsForAKeyFrame() {
        #expect(add(key(), 0) == .taken && add(slice(1), 1) == .taken)
        #expect(add(slice(3), 3) == .refused(.awaitsKeyFrame))
        #expect(add(slice(4), 4) == .refused(.awaitsKeyFrame) && group.newest == nil)
        #expect(add(key(), 5) == .taken && group.newest?.number == 5)
    }

    /// The driver's numbers don't show a frame that the camera left out.
    @Test mutating func aGapOfTheStreamWaitsForAKeyFrame() {
        #expect(add(key(), 0) == .taken && add(slice(1), 1) == .taken)
        #expect(add(slice(3), 2) == .refused(.awaitsKeyFrame))
        #expect(add(key(), 3) == .taken && add(slice(1), 4) == .taken)
    }

    @Test mutating func framesToWhichNoneRefersMayBeMissing() {
        #expect(add(key(), 0) == .taken)
        #expect(add(slice(1, isReference: false), 1) == .taken && add(slice(1), 2) == .taken)
        #expect(add(slice(2), 3) == .taken)
    }

    @Test mutating func numbersBeginAgainAfterTheirLargest() {
        #expect(add(key(), 0) == .taken)
        for number in 1...40 { #expect(add(slice(UInt8(number % 16)), number) == .taken) }
    }

    @Test mutating func parametersMayComeAlone() throws {
        #expect(add(parameters, 0) == .parameters)
        #expect(add(slice(0, isKey: true), 1) == .taken)
        let first = try #require(group.picture?.units.first)
        #expect(first.bytes == key())
    }

    /// Cameras may send information that decoding doesn't need in buffers of its own.
    @Test(arguments: [6, 9, 10, 12] as [UInt8])
    mutating func whatDecodingDoesNotNeedIsNoLoss(kind: UInt8) throws {
        let supplement = unit([kind, 0x05, 0x10, 0x80])
        #expect(add(supplement, 0) == .supplement)
        #expect(add(key(), 1) == .taken)
        #expect(add(supplement, 2) == .supplement && !group.awaitsKeyFrame)
        #expect(add(slice(1), 3) == .taken)
        #expect(add(supplement + supplement, 4) == .supplement)
        #expect(add(slice(2), 5) == .taken)
        let units = try #require(group.picture).units
        // Their buffers don't count as frames: there is no gap that a recording would count as lost.
        #expect(units.map(\.number) == [0, 1, 2] && units.map(\.ordinal) == [1, 2, 3])
        // A gap of the driver is one all the same.
        #expect(add(supplement, 8) == .supplement && group.awaitsKeyFrame)
    }

    @Test mutating func whatIsNoVideoIsDamaged() {
        #expect(add([UInt8](repeating: 0x55, count: 100), 0) != .taken)
        #expect(add(slice(0, isKey: true), 1) != .taken, "without parameters")
        #expect(add(key(), 2) == .taken)
        #expect(add([0, 0, 0, 1], 3) != .taken && group.picture == nil)
        #expect(add([], 4) != .taken)
    }

    @Test mutating func aLargerPictureThanThatOfTheModeIsRefused() {
        group = H264Group(width: 320, height: 240)
        #expect(add(key(), 0) == .refused(.size(width: 640, height: 480)) && group.picture == nil)
        // Encoders round sizes up to whole blocks.
        group = H264Group(width: 636, height: 470)
        #expect(add(key(), 0) == .taken)
    }

    @Test mutating func theMemoryIsBounded() {
        #expect(add(key(), 0) == .taken)
        for number in 1..<H264Group.mostUnits { #expect(add(slice(UInt8(number % 16)), number) == .taken) }
        _ = add(slice(UInt8(H264Group.mostUnits % 16)), H264Group.mostUnits)
        #expect(group.isFull && group.awaitsKeyFrame && group.length == 0)
        #expect(add(key(padding: H264Group.mostBytes), 5_000) == .taken && group.isFull)
    }
}
