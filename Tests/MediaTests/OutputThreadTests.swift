import Base
import Core
import Glibc
import Synchronization
import Testing

@testable import Cameras
@testable import Contract
@testable import Media
@testable import Settings

/// The thread of a virtual camera, with a device that tests control.
@Suite struct OutputThreadTests {
    /// What the device got, and what it does.
    private final class Record: Sendable {
        struct Content {
            /// The first sample of each picture.
            var shown: [UInt8] = []
            var failure: CameraError?
            var isClosed = false
            var isBlocked = false
        }

        let content = Mutex(Content())

        func wait(while isSo: (Content) -> Bool) {
            while content.withLock({ isSo($0) }) { usleep(1_000) }
        }
    }

    private final class FakeDevice: OutputDevice {
        let format: OutputFormat
        let record: Record

        init(_ format: OutputFormat, _ record: Record) { (self.format, self.record) = (format, record) }

        deinit { record.content.withLock { $0.isClosed = true } }

        func isRead() throws(CameraError) -> Bool? { nil }

        func show(
            _ picture: UnsafeRawBufferPointer, ifStill isValid: () -> Bool
        ) throws(CameraError) {
            record.wait { $0.isBlocked }
            if let failure = record.content.withLock({ $0.failure }) { throw failure }
            guard isValid() else { return }
            record.content.withLock { $0.shown.append(picture[0]) }
        }
    }

    private let loop = EventLoop()
    private let record = Record()

    private func begin(
        _ opened: @escaping (Result<OutputFormat, CommandError>) -> Void = { _ in }
    ) throws -> any ActiveOutput {
        let threads = OutputThreads(on: loop, decoders: StreamDecoders()) { [record] _, settings in
            guard let format = OutputFormat(.yu12, width: settings.width, height: settings.height) else {
                return .failure(.device("no such size"))
            }
            return .success(FakeDevice(format, record))
        }
        return try threads.begin(
            "/dev/video9", OutputSettings(width: 16, height: 8, rate: 10), opened: opened)
    }

    private func white() -> Frame {
        let samples = [UInt8](repeating: 255, count: 16 * 8) + [UInt8](repeating: 128, count: 2 * 8 * 4)
        let picture = PlanarPicture(sampling: .yuv420, width: 16, height: 8, samples: samples)
        return Frame(picture: .planar(picture), field: .whole, number: 1, exposedAt: .now)
    }

    private func show(_ picture: OutputPicture, on output: any ActiveOutput) -> OutputReport? {
        var report: OutputReport?
        output.show(picture) { report = $0 }
        loop.turn { report != nil }
        return report
    }

    @Test func picturesReachTheDevice() throws {
        var format: OutputFormat?
        let output = try begin { format = try? $0.get() }
        loop.turn { format != nil }
        for picture in [.black, .frame(white(), view: .whole, effect: .none), .again, .nothing, .black]
            as [OutputPicture]
        {
            guard case .shown? = show(picture, on: output) else {
                Issue.record("not shown")
                return
            }
        }
        #expect(record.content.withLock { $0.shown } == [16, 235, 235, 16])
    }

    @Test func aPictureThatWasWithdrawnIsNotGivenToTheDevice() throws {
        let output = try begin()
        record.content.withLock { content in content.isBlocked = true }
        var reports = 0
        output.show(.frame(white(), view: .whole, effect: .none)) { _ in reports += 1 }
        output.withdrawPictures()
        output.show(.black) { _ in reports += 1 }
        record.content.withLock { $0.isBlocked = false }
        loop.turn { reports == 2 }
        #expect(record.content.withLock { $0.shown } == [16])
    }

    @Test func aReleaseWaitsForNothing() throws {
        do {
            let output = try begin()
            record.content.withLock { content in content.isBlocked = true }
            output.show(.frame(white(), view: .whole, effect: .none)) { _ in }
        }
        // The thread is still in the call of the driver.
        record.content.withLock { $0.isBlocked = false }
        record.wait { !$0.isClosed }
        #expect(record.content.withLock { $0.shown }.isEmpty)
    }

    @Test func aFailureIsReportedWithThePath() throws {
        let output = try begin()
        record.content.withLock { $0.failure = .device("VIDIOC_QBUF: Input/output error") }
        guard case .failed(let error)? = show(.black, on: output) else {
            Issue.record("no failure")
            return
        }
        #expect(error.message == "/dev/video9 can't be used: VIDIOC_QBUF: Input/output error.")
        #expect(record.content.withLock { $0.isClosed })
    }

    @Test func aProgramWithoutOutputDevicesRefuses() {
        #expect(throws: CommandError.self) {
            _ = try OutputThreads(on: loop, decoders: StreamDecoders(), open: nil).begin(
                "/dev/video9", OutputSettings(width: 16, height: 8, rate: 10)
            ) { _ in }
        }
    }
}
