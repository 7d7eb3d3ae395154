import Testing

@testable import Cameras

@Suite("What a driver says about the memory of a frame is checked")
struct MappedBufferTests {
    private let format = V4L2Format(
        pixelFormat: V4L2Format.code("NM12"), width: 64, height: 48,
        memory: [.init(stride: 64, size: 3072), .init(stride: 64, size: 1536)], isFullRange: true)

    private func words(_ body: () throws -> Void) -> String? {
        do { try body() } catch CameraError.device(let words) { return words } catch { return "\(error)" }
        return nil
    }

    private func planes(_ lengths: [Int]) -> [UnsafeBufferPointer<UInt8>] {
        lengths.map { UnsafeBufferPointer(start: UnsafePointer(bitPattern: 4096), count: $0) }
    }

    @Test func aBufferHasMemoryForEachPlane() {
        #expect(words { try format.checkBuffer([3072, 1536]) } == nil)
        // Which of them is too small is found when a frame comes: drivers may report a larger size.
        #expect(words { try format.checkBuffer([4096, 1]) } == nil)
        #expect(
            words { try format.checkBuffer([4608]) }
                == "VIDIOC_QUERYBUF: a buffer has 1 plane of memory; its format NM12 64×48 has 2"
        )
        #expect(words { try format.checkBuffer([1, 2, 3]) }?.contains("has 3 planes of memory") == true)
        #expect(words { try format.checkBuffer([]) }?.contains("has 0 planes of memory") == true)
        #expect(
            words { try format.checkBuffer([3072, 0]) }
                == "VIDIOC_QUERYBUF: plane 2 of a buffer for NM12 64×48 has no bytes")
    }

    @Test("the bytes of a frame begin behind data_offset and end with bytesused")
    func filledBytes() throws {
        let memory = planes([4096, 2048])
        let frame = try format.frame(
            [FilledPlane(used: 3200, offset: 128), FilledPlane(used: 1536)], in: memory)
        #expect(frame.map(\.count) == [3072, 1536])
        #expect(
            frame.map(\.baseAddress) == [memory[0].baseAddress.map { $0 + 128 }, memory[1].baseAddress])
        let whole = try format.frame([FilledPlane(used: 4096), FilledPlane(used: 2048)], in: memory)
        #expect(whole.map(\.count) == [4096, 2048])
        let none = try format.frame(
            [FilledPlane(used: 0), FilledPlane(used: 2048, offset: 2048)], in: memory)
        #expect(none.map(\.count) == [0, 0])
    }

    @Test("bytes and planes that a buffer does not have are refused")
    func wrongBytes() {
        func refusal(_ filled: [FilledPlane]) -> String? {
            words { _ = try format.frame(filled, in: planes([4096, 2048])) }
        }
        let right = FilledPlane(used: 2048)
        #expect(
            refusal([FilledPlane(used: 4097), right])
                == "VIDIOC_DQBUF: the driver filled 4097 bytes of plane 1, which has 4096")
        #expect(
            refusal([right, FilledPlane(used: 4_294_967_295, offset: 4_294_967_295)])
                == "VIDIOC_DQBUF: the driver filled 4294967295 bytes of plane 2, which has 2048")
        #expect(
            refusal([right, FilledPlane(used: 1024, offset: 1025)])
                == "VIDIOC_DQBUF: the samples of plane 2 begin at byte 1025 of 1024")
        #expect(
            refusal([right])
                == "VIDIOC_DQBUF: the frame has 1 plane of memory; its buffer has 2")
        #expect(refusal([])?.contains("the frame has 0 planes of memory") == true)
        #expect(refusal([right, right, right])?.contains("the frame has 3 planes of memory") == true)
    }
}
