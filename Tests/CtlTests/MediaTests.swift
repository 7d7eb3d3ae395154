import Ctl
import CtlScript
import Testing

@testable import Bus
@testable import Contract

/// `ctl media`: lists and copies.
struct MediaTests {
    private let name = "door-20261121T090538.958Z-000042.jpg"
    private let hash = String(repeating: "a", count: 64)

    private func file(_ name: String, bytes: Int = 5, isDescribed: Bool = false) -> MediaFields {
        MediaFields(
            name: name, kind: .photo, contentType: "image/jpeg", bytes: bytes, createdAt: timestamp,
            version: isDescribed ? "v1" : nil, sha256: isDescribed ? hash : nil)
    }

    private func part(_ number: Int, _ bytes: [UInt8], type: String = "image/jpeg") -> ConversationEvent {
        .message(answer(bytes, correlation: "\(clientID)-\(number)", contentType: type))
    }

    // MARK: Lists

    private func page(_ number: Int, _ names: [String], next: String? = nil) -> ConversationEvent {
        .message(reply(number) { ($0.media, $0.next) = (names.map { file($0) }, next) })
    }

    @Test func aListIsATable() {
        var rig = ConversationRig(.listMedia(kind: .photo, limit: 20), options())
        rig.run(ConversationEvent.ready + [page(1, ["b.jpg", "a\u{1B}.jpg"])])
        #expect(rig.requests.map(\.topic) == ["v4l2mqtt/porch/door/media/set"])
        #expect(rig.requests[0].payload.contains(#""list":{"kind":"photo","limit":20}"#))
        #expect(
            rig.lines == [
                "NAME         KIND   SIZE  CREATED", "b.jpg        photo  5 B   \(timestamp)",
                "a\\u001b.jpg  photo  5 B   \(timestamp)",
            ])
        #expect(rig.exitCodes == [0])
    }

    @Test func aLongListIsReadInPages() throws {
        var rig = ConversationRig(.listMedia(kind: nil, limit: 150), options(json: true))
        rig.run(ConversationEvent.ready)
        #expect(rig.requests[0].payload.contains(#""list":{"limit":100}"#))
        rig.run([page(1, (0..<100).map { "a\($0)" }, next: "a99")])
        #expect(rig.requests[1].payload.contains(#""list":{"before":"a99","limit":50}"#))
        rig.run([page(2, (0..<60).map { "b\($0)" }, next: "b59")])
        let list = try JSON(Array(rig.lines[0].utf8))?.object?["media"]?.list?.map {
            try MediaFields($0, .strict)
        }
        #expect(list?.count == 150 && list?.last?.name == "b49" && rig.exitCodes == [0])
    }

    /// An agent that promises more for ever does not keep the program.
    @Test func anEmptyPageIsTheLast() {
        var rig = ConversationRig(.listMedia(kind: nil, limit: 150), options())
        rig.run(ConversationEvent.ready + [page(1, [], next: "a")])
        #expect(rig.exitCodes == [0] && rig.requests.count == 1)
    }

    // MARK: Copies

    private func copy(
        bytes: Int, replaces: Bool = false, json: Bool = false, _ events: [ConversationEvent]
    ) -> ConversationRig {
        var rig = ConversationRig(
            .copyMedia(.names([name]), to: .file("here.jpg"), replaces: replaces), options(json: json))
        let described = file(name, bytes: bytes, isDescribed: true)
        rig.run(
            ConversationEvent.ready + [
                .message(reply(1, .accepted) { $0.file = file(name, bytes: bytes) }), .wait(.seconds(3600)),
                .message(reply(1) { $0.file = described }),
            ] + events)
        return rig
    }

    private func steps(_ rig: ConversationRig) -> [CtlScript.CopyStep] {
        rig.actions.compactMap { if case .copy(let step) = $0 { step } else { nil } }
    }

    @Test func aFileIsCopiedInParts() {
        let (first, second) = ([UInt8](repeating: 1, count: 131_072), [UInt8](repeating: 2, count: 10))
        let rig = copy(
            bytes: 131_082,
            [
                .copied(.opened(bytes: 0)), part(2, first), .copied(.appended), part(3, second),
                .copied(.appended), .copied(.complete),
            ])
        #expect(rig.requests[0].payload.contains(#""describe":"\#(name)""#))
        #expect(
            rig.requests[1].payload.contains(#""get":"\#(name)","offset":0,"length":131072,"version":"v1""#))
        #expect(rig.requests[2].payload.contains(#""offset":131072,"length":10"#))
        #expect(
            steps(rig) == [
                .open(path: "here.jpg", replaces: false, bytes: 131_082), .append(first), .append(second),
                .finish(sha256: hash),
            ])
        #expect(rig.lines == ["here.jpg, 131 kB"] && rig.exitCodes == [0])
    }

    @Test func anInterruptedCopyGoesOn() {
        let rig = copy(
            bytes: 5, json: true,
            [.copied(.opened(bytes: 3)), part(2, [4, 5]), .copied(.appended), .copied(.complete)])
        #expect(rig.requests[1].payload.contains(#""offset":3,"length":2"#))
        #expect(rig.lines == [#"{"path":"here.jpg","bytes":5,"sha256":"\#(hash)"}"#])
    }

    @Test func aCopyThatIsCompleteIsOnlyCompared() {
        let rig = copy(bytes: 5, [.copied(.opened(bytes: 5)), .copied(.complete)])
        #expect(rig.requests.count == 1 && rig.exitCodes == [0])
    }

    /// What is there is of another version: it is longer, or has another hash in the end.
    @Test func aPartOfAnotherVersionIsCopiedAgain() {
        let longer = copy(
            bytes: 2, [.copied(.opened(bytes: 9)), .copied(.opened(bytes: 0)), part(2, [1, 2])])
        #expect(steps(longer).dropFirst() == [.restart, .append([1, 2])])
        let other = copy(
            bytes: 2,
            [
                .copied(.opened(bytes: 1)), part(2, [2]), .copied(.appended), .copied(.differs),
                .copied(.opened(bytes: 0)), part(3, [1, 2]), .copied(.appended), .copied(.complete),
            ])
        #expect(steps(other).suffix(4).contains(.restart) && other.exitCodes == [0])
    }

    /// The sizes of the contract are checked before anything is written.
    @Test(arguments: [-1, Int.min, (1 << 50) + 1, 1 << 62])
    func aSizeThatCannotBeIsAnError(bytes: Int) {
        let rig = copy(bytes: bytes, [])
        #expect(rig.exitCodes == [1] && steps(rig).isEmpty && rig.requests.count == 1)
        #expect(rig.errors == ["internal: The agent's answer can't be read."])
    }

    @Test func aWholeCopyWithAnotherHashIsAnError() {
        let rig = copy(
            bytes: 1, [.copied(.opened(bytes: 0)), part(2, [9]), .copied(.appended), .copied(.differs)])
        #expect(rig.exitCodes == [1] && rig.errors[0].contains("another hash"))
    }

    @Test(arguments: [[], [1, 2, 3, 4]] as [[UInt8]]) func aPartOfAnotherLengthIsAnError(bytes: [UInt8]) {
        let rig = copy(bytes: 3, [.copied(.opened(bytes: 0)), part(2, bytes)])
        #expect(rig.exitCodes == [1] && steps(rig).count == 1)
    }

    @Test func bytesOfOthersAreIgnored() {
        let rig = copy(
            bytes: 3,
            [
                .copied(.opened(bytes: 0)), part(1, [1, 2, 3]), part(7, [1, 2, 3]),
                .message(answer([1, 2, 3], correlation: nil, contentType: "image/jpeg")),
                .wait(.seconds(60)),
            ])
        #expect(steps(rig).count == 1 && rig.exitCodes == [1] && rig.errors == ["No answer was received."])
    }

    @Test func anErrorEndsTheCopy() {
        let conflict = CommandError(.conflict, "The file has changed.")
        let changed = copy(
            bytes: 3, [.copied(.opened(bytes: 0)), .message(reply(2, .error, error: conflict))])
        #expect(changed.exitCodes == [1] && changed.errors == ["conflict: The file has changed."])
        let local = copy(bytes: 3, [.copied(.failed(CommandError(.conflict, "here.jpg exists already.")))])
        #expect(local.exitCodes == [1] && local.errors == ["here.jpg exists already."])
        var missing = ConversationRig(
            .copyMedia(.names([name]), to: .file("here.jpg"), replaces: false), options())
        let unknown = CommandError(.badPayload, "There is no such file.")
        missing.run(ConversationEvent.ready + [.message(reply(1, .error, error: unknown))])
        #expect(missing.exitCodes == [1] && steps(missing).isEmpty)
    }

    // MARK: The newest files

    private func newest(_ count: Int, prefix: String = "", json: Bool = false) -> ConversationRig {
        ConversationRig(
            .copyMedia(
                .newest(kind: .photo, count: count), to: .folder("photos", prefix: prefix), replaces: false),
            options(json: json))
    }

    /// The agent describes a file of one byte, and sends it.
    private func copied(_ name: String, request number: Int) -> [ConversationEvent] {
        [
            .message(reply(number) { $0.file = file(name, bytes: 1, isDescribed: true) }),
            .copied(.opened(bytes: 0)), part(number + 1, [7]), .copied(.appended), .copied(.complete),
        ]
    }

    @Test func theNewestFilesAreCopiedOneAfterTheOther() {
        var rig = newest(2, prefix: "porch-door-")
        rig.run(
            ConversationEvent.ready + [page(1, ["b.jpg", "a.jpg"])] + copied("b.jpg", request: 2)
                + copied("a.jpg", request: 4))
        #expect(rig.requests[0].payload.contains(#""list":{"kind":"photo","limit":2}"#))
        #expect(rig.requests[1].payload.contains(#""describe":"b.jpg""#))
        #expect(rig.requests[2].payload.contains(#""get":"b.jpg""#))
        #expect(rig.requests[3].payload.contains(#""describe":"a.jpg""#))
        #expect(
            rig.lines == ["photos/porch-door-b.jpg, 1 B", "photos/porch-door-a.jpg, 1 B"]
                && rig.exitCodes == [0])
    }

    @Test func aCameraWithoutFilesIsDone() {
        var rig = newest(2)
        rig.run(ConversationEvent.ready + [page(1, [])])
        #expect(rig.lines == [] && rig.exitCodes == [0] && rig.requests.count == 1)
    }

    @Test func afterAnErrorNoFurtherFileIsCopied() {
        var rig = newest(2)
        rig.run(
            ConversationEvent.ready + [page(1, ["b.jpg", "a.jpg"])] + copied("b.jpg", request: 2) + [
                .message(reply(4, .error, error: CommandError(.badPayload, "There is no such file.")))
            ])
        #expect(rig.lines == ["photos/b.jpg, 1 B"] && rig.exitCodes == [1])
        #expect(rig.errors == ["bad_payload: There is no such file."])
    }

    /// The names come from the bus.
    @Test(arguments: ["../a.jpg", "a/b.jpg", ".a.jpg", "-rf", "", "a\u{1B}.jpg", "ä.jpg", "..", "a b"])
    func aNameThatIsNoneOfALocalFileIsAnError(name: String) {
        var rig = newest(1)
        rig.run(ConversationEvent.ready + [page(1, [name])])
        #expect(rig.exitCodes == [1] && rig.requests.count == 1 && steps(rig).isEmpty)
        #expect(rig.errors[0].hasPrefix("The agent has a file whose name can't be that of a local one: "))
    }

    /// An agent with MQTT 3.1.1 answers on the topic of the node.
    @Test func anAgentWithMQTT311RefusesWithAReason() {
        let reason = CommandError(.unsupported, "get is answered with bytes. Send it with MQTT 5.")
        var answer = Reply(.error, boot: 1, ts: timestamp)
        (answer.id, answer.error) = ("\(clientID)-2", reason)
        let rig = copy(
            bytes: 3,
            [.copied(.opened(bytes: 0)), .message(message("porch/door/media/reply", JSON.bytes(answer)))])
        #expect(rig.exitCodes == [1] && rig.errors[0].hasPrefix("unsupported: "))
    }
}
