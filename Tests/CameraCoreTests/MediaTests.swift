import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// `media`: files of photos and recordings, as clients list, read and delete them.
struct MediaTests {
    let bench = CameraBench()
    let names = (1...3).map { "camera-2026112\($0)T090538.958Z-00000\($0).jpg" }

    init() {
        for (place, name) in names.enumerated() {
            bench.media.files[name] = [UInt8](repeating: UInt8(place), count: 100 * (place + 1))
        }
        bench.media.files["camera-20261124T090538.958Z-000001.mp4"] = [1, 2, 3]
        bench.attach()
    }

    private func send(_ json: String, acceptsPhotos: Bool = true) -> CollectingReplyAddress {
        bench.send(.media, json, acceptsPhotos: acceptsPhotos)
    }

    private func get(
        _ name: String, client: String = "phone", _ fields: String = ""
    ) -> CollectingReplyAddress {
        send(#"{"get": "\#(name)", "client": "\#(client)"\#(fields)}"#)
    }

    private var state: JSONValue { bench.state(.media) }

    /// After it the files are counted.
    private func photoIsStored() {
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(2))
    }

    // MARK: Commands

    @Test func aListHasTheNewestFilesFirst() {
        let answer = send(#"{"list": {}}"#).lastMessage
        #expect(answer["media"].list.map { $0["name"] }.first == "camera-20261124T090538.958Z-000001.mp4")
        #expect(answer["media"].list.dropFirst().map { $0["name"] } == names.reversed().map { .text($0) })
        #expect(answer["media"][1]["bytes"] == 300 && answer["media"][1]["kind"] == "photo")
        #expect(answer["next"] == nil)
    }

    @Test func aListHasPages() {
        var found: [JSONValue] = []
        var before = ""
        for _ in 0..<3 {
            let answer = send(#"{"list": {"kind": "photo", "limit": 1\#(before)}}"#).lastMessage
            found += answer["media"].list.map { $0["name"] }
            before = answer["next"].text.map { #", "before": "\#($0)""# } ?? ""
        }
        #expect(found == names.reversed().map { .text($0) } && before.isEmpty)
    }

    @Test func aDescriptionComesBeforeItsHash() {
        bench.media.held = [.hash]
        let request = send(#"{"describe": "\#(names[0])"}"#)
        #expect(request.statuses == [.accepted] && request.last?.file?.bytes == 100)
        #expect(request.last?.file?.version == "v100" && request.last?.file?.sha256 == nil)
        // Other requests do not wait for the hash.
        #expect(send(#"{"list": {}}"#).statuses == [.done])
        bench.media.release(.hash)
        #expect(request.statuses == [.accepted, .done] && request.last?.file?.sha256?.count == 64)
    }

    @Test func aPartIsAnsweredByItsBytes() {
        let request = get(names[2], #", "offset": 298, "length": 9, "id": "p1""#)
        #expect(request.replies.isEmpty && request.parts.count == 1 && request.isFinished)
        #expect(request.parts.first?.bytes == [2, 2])
        let fields = request.parts.first?.fields
        #expect(fields?.offset == 298 && fields?.total == 300 && fields?.version == "v300")
        #expect(fields?.name == names[2])
    }

    @Test func withoutAnAddressForBytesThereIsNoPart() {
        let request = send(#"{"get": "\#(names[0])"}"#, acceptsPhotos: false)
        #expect(request.parts.isEmpty && request.error?.code == .unsupported && request.error?.field == "get")
        #expect(bench.media.fileCalls.isEmpty)
    }

    @Test(arguments: ["describe", "get", "delete"]) func aFailureIsTheAnswer(command: String) {
        bench.media.failures = [.file: CommandError(.device, "The disk fails.")]
        #expect(send(#"{"\#(command)": "\#(names[0])"}"#).statuses == [.error])
        bench.media.failures = [.hash: CommandError(.conflict, "The file was changed.")]
        let described = send(#"{"describe": "\#(names[0])"}"#)
        #expect(described.statuses == [.accepted, .error] && described.error?.code == .conflict)
    }

    @Test func aDeletionIsCarriedOutOnce() {
        let command = #"{"delete": "\#(names[0])", "id": "d1", "client": "phone"}"#
        #expect(send(command).statuses == [.done] && bench.media.files[names[0]] == nil)
        #expect(send(command).error?.code == .duplicate)
        // Reading may be repeated.
        for _ in 0..<2 { #expect(get(names[1], #", "id": "g1""#).parts.count == 1) }
    }

    /// Without a device too.
    @Test func filesNeedNoDevice() {
        bench.source.detach(.unplugged)
        #expect(send(#"{"list": {}}"#).statuses == [.done] && get(names[0]).parts.count == 1)
    }

    // MARK: The state

    @Test func theStateCountsTheFiles() {
        #expect(state["photos"] == ["count": 0, "bytes": 0], "there was none at the start")
        photoIsStored()
        #expect(state["photos"] == ["count": 3, "bytes": 600])
        #expect(state["recordings"] == ["count": 1, "bytes": 3])
        #expect(state["newest"] == "camera-20261124T090538.958Z-000001.mp4")
        bench.media.files = [:]
        photoIsStored()
        #expect(state["photos"] == ["count": 0, "bytes": 0] && state["newest"] == nil)
    }

    @Test func aDeletionChangesTheState() {
        bench.advance(by: .seconds(2))
        _ = send(#"{"delete": "\#(names[0])"}"#)
        #expect(state["photos"] == ["count": 2, "bytes": 500])
    }

    /// A series is counted once a second, and its last photo too.
    @Test func theFilesAreCountedOnceASecondAtMost() {
        bench.advance(by: .seconds(2))
        let before = bench.media.counts
        bench.send(.capture, #"{"count": 50, "interval_ms": 100}"#)
        bench.advance(by: .seconds(10))
        #expect(4...7 ~= bench.media.counts - before)
        bench.advance(by: .seconds(100))
        #expect(bench.media.counts - before <= 7, "nothing has changed")
    }

    /// The longer a count takes, the rarer it is.
    @Test func aSlowDiskIsCountedLessOften() {
        bench.advance(by: .seconds(2))
        bench.media.held = [.count]
        let before = bench.media.counts
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(5))
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(1))
        bench.media.release(.count)
        bench.advance(by: .seconds(90))
        #expect(bench.media.counts - before == 1)
        bench.advance(by: .seconds(90))
        #expect(bench.media.counts - before == 2)
    }

    @Test func whatIsDeletedIsNoLongerTheLastPhoto() {
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(1))
        let path = bench.state(.capture)["last"]["path"].text ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        bench.media.files[name] = [1]
        _ = send(#"{"delete": "\#(names[0])"}"#)
        #expect(bench.state(.capture)["last"]["path"].text == path)
        _ = send(#"{"delete": "\#(name)"}"#)
        #expect(bench.state(.capture)["last"] == nil && bench.state(.capture)["counter"] == 1)
    }

    @Test func whatIsDeletedIsNoLongerTheLastRecording() {
        bench.startRecording()
        bench.send(.recording, "OFF")
        bench.advance(by: .seconds(1))
        let path = bench.state(.recording)["last"]["path"].text ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        #expect(!name.isEmpty)
        bench.media.files[name] = [1]
        _ = send(#"{"delete": "\#(name)"}"#)
        #expect(bench.state(.recording)["last"] == nil)
    }

    // MARK: Shares

    @Test func aClientHasFourRequestsUnderWay() {
        bench.media.held = [.file]
        let requests = (0..<5).map { _ in get(names[0]) }
        #expect(requests[4].error?.code == .busy)
        #expect(get(names[0], client: "desk").answers.isEmpty)
        bench.media.release(.file)
        #expect(requests[0].parts.count == 1)
        #expect(get(names[0]).answers.isEmpty, "one was answered")
    }

    /// A client that was interested in the description only does not wait for the hash.
    @Test func hashesLeaveRoomForOtherRequestsOfTheirClient() {
        bench.media.held = [.hash]
        let described = (0..<5).map { _ in send(#"{"describe": "\#(names[0])", "client": "phone"}"#) }
        #expect(described[3].statuses == [.accepted])
        #expect(described[4].error?.code == .busy, "a client has four descriptions under way")
        #expect(get(names[0]).parts.count == 1)
        #expect(send(#"{"list": {}, "client": "phone"}"#).statuses == [.done])
        bench.media.release(.hash)
        #expect(send(#"{"describe": "\#(names[0])", "client": "phone"}"#).statuses == [.accepted])
    }

    @Test func clientsTakeTurns() {
        bench.media.held = [.file]
        let greedy = (0..<4).map { _ in get(names[0]) }
        let other = get(names[1], client: "desk")
        for _ in 0..<3 { bench.media.release(.file) }
        #expect(greedy.map(\.isFinished) == [true, true, false, false] && other.isFinished)
    }

    @Test func aClientWithMoreMakesRoom() {
        bench.media.held = [.file]
        // One is with the disk, and sixteen wait.
        let first = get(names[0], client: "first")
        let waiting = (0..<4).flatMap { client in (0..<4).map { _ in get(names[0], client: "c\(client)") } }
        let newcomer = get(names[0], client: "newcomer")
        #expect(newcomer.answers.isEmpty && first.answers.isEmpty)
        let ended = waiting.filter { $0.error?.code == .busy }
        #expect(ended.count == 1 && ended.first === waiting[3])
    }

    /// The broker is slow: nothing is read that would have to wait in memory.
    @Test func aPartIsReadWhenTheBrokerTakesIt() {
        bench.frontEnd.hasCapacity = false
        let request = get(names[0])
        #expect(send(#"{"list": {}}"#).answers.isEmpty, "the order is kept")
        bench.advance(by: .seconds(1))
        #expect(bench.media.fileCalls.isEmpty)
        bench.frontEnd.hasCapacity = true
        bench.advance(by: .milliseconds(100))
        #expect(request.parts.count == 1 && bench.media.fileCalls.count == 2)
    }

    // MARK: Privacy and stop

    @Test func noPictureOfAPrivateCameraIsSent() {
        bench.media.held = [.file]
        let (running, waiting) = (get(names[0]), get(names[1]))
        let listed = send(#"{"list": {}}"#)
        bench.send(.privacy, "ON")
        #expect(running.error?.code == .private && waiting.error?.code == .private)
        #expect(listed.answers.isEmpty)
        bench.media.held = []
        while bench.media.release(.file) {}
        #expect(running.parts.isEmpty && listed.statuses == [.done])
        #expect(get(names[0]).error?.code == .private)
        #expect(send(#"{"describe": "\#(names[0])"}"#).statuses == [.accepted, .done])
        #expect(send(#"{"delete": "\#(names[0])"}"#).statuses == [.done])
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(1))
        #expect(get(names[1]).parts.count == 1)
    }

    @Test func aStopAnswersAllRequests() {
        bench.media.held = [.file, .hash]
        let requests = [
            get(names[0]), send(#"{"describe": "\#(names[0])"}"#), send(#"{"list": {}}"#),
            send(#"{"delete": "\#(names[0])"}"#),
        ]
        bench.camera.beginStop()
        bench.camera.finishStop()
        #expect(requests.allSatisfy { $0.error?.code == .unavailable })
        while bench.media.release(.file) {}
        #expect(requests.allSatisfy { $0.answers.count == 1 })
    }
}
