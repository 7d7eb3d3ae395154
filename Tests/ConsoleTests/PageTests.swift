import Contract
import NIOCore
import Testing

@testable import Server

@Suite struct PageTests {
    private let start = ContinuousClock.now
    private let connection = RecordedConnection()
    private let door = camera("porch/door")

    private func page(
        hasText: Bool = true, summary: @escaping (CameraAddress) -> CameraSummary? = { _ in CameraSummary() }
    ) -> Page {
        Page(name: "p1", connection: connection, admission: nil, hasText: hasText, summary: summary) {
            page, error in
            page.end()
            page.connection.close(error)
        }
    }

    /// How many of the pictures that come in ten seconds are sent.
    private func sent(_ rate: Double, of cameraRate: Double) -> Int {
        let page = page()
        page.watch([PreviewRequest(camera: door, width: 960, rate: rate)])
        for number in 0..<Int(cameraRate * 10) {
            let time = start + .seconds(Double(number) / cameraRate)
            page.take(picture(), at: time)
            if let last = connection.pictures.last { page.drawn(last.number, at: time) }
        }
        return connection.pictures.count
    }

    @Test(arguments: [
        (30.0, 30.0, 300), (15, 30, 150), (10, 30, 100), (2, 30, 20), (20, 30, 200), (60, 30, 300),
        (0.1, 30, 1),
    ])
    func aPageGetsItsOwnRate(rate: Double, cameraRate: Double, expected: Int) {
        let count = sent(rate, of: cameraRate)
        #expect(abs(count - expected) <= expected / 20 + 1, "\(count) pictures, not \(expected)")
    }

    /// Pictures that come a little too early or too late are not left out.
    @Test func aRateThatVariesALittleIsNotHalved() {
        let page = page()
        page.watch([PreviewRequest(camera: door, width: 960, rate: 30)])
        for number in 0..<300 {
            let time = start + .seconds(Double(number) / 30) + .milliseconds(number % 2 == 0 ? 0 : 8)
            page.take(picture(), at: time)
            if let last = connection.pictures.last { page.drawn(last.number, at: time) }
        }
        #expect(connection.pictures.count >= 295)
    }

    /// A network that takes all at once says so before the call of `send` returns.
    @Test func nothingIsSentTwiceToANetworkThatTakesAllAtOnce() {
        let page = page()
        var calls = 0
        connection.becameWritable = { [weak page] in
            calls += 1
            if calls < 10 { page?.flush() }
        }
        page.change(door)
        page.startList()
        page.flush()
        #expect(connection.texts("cameras").count == 1)
        connection.isWritable = false
        for text in ["a", "b", "c"] { page.send(Array(text.utf8)) }
        page.send(header: [1], file: [2])
        page.watch([PreviewRequest(camera: door, width: 960, rate: 30)])
        page.take(picture(), at: start)
        connection.isWritable = true
        page.flush()
        #expect(connection.order == ["text", "text", "text", "text", "file", "picture"])
        #expect(connection.texts.suffix(3) == ["a", "b", "c"])
    }

    @Test func ofACameraOnlyTheNewestPictureWaits() {
        let page = page()
        page.watch([PreviewRequest(camera: door, width: 960, rate: 60)])
        for number in 0..<10 {
            page.take(picture("porch/door", [UInt8(number)]), at: start + .milliseconds(20 * number))
        }
        #expect(connection.pictures.count == 2, "two are on the way")
        page.drawn(2, at: start + .milliseconds(200))
        #expect(connection.pictures.map(\.number) == [1, 2, 3])
        #expect(connection.pictures[2].picture.content == ByteBuffer(bytes: [9]))
    }

    @Test func camerasTakeTurns() {
        let page = page(), names = ["porch/a", "porch/b", "porch/c"]
        page.watch(names.map { PreviewRequest(camera: camera($0), width: 960, rate: 30) })
        for step in 0..<30 {
            let time = start + .milliseconds(34 * step)
            for name in names { page.take(picture(name), at: time) }
            if let last = connection.pictures.last { page.drawn(last.number, at: time) }
        }
        let counts = Dictionary(grouping: connection.pictures, by: \.picture.camera.description).mapValues(
            \.count)
        #expect(counts.count == 3)
        #expect(counts.values.allSatisfy { $0 >= 15 }, "62 pictures were sent: \(counts)")
    }

    @Test func aCameraThatIsNotWatchedAnyMoreSendsNothing() {
        let page = page()
        page.watch([PreviewRequest(camera: door, width: 960, rate: 60)])
        for number in 0..<5 { page.take(picture(), at: start + .milliseconds(20 * number)) }
        page.watch([])
        page.drawn(2, at: start + .milliseconds(200))
        page.take(picture(), at: start + .seconds(1))
        #expect(connection.pictures.count == 2)
    }

    @Test func textGoesBeforePictures() {
        let page = page()
        page.watch([PreviewRequest(camera: door, width: 960, rate: 60)])
        connection.isWritable = false
        page.take(picture(), at: start)
        page.send([1])
        page.send(header: [2], file: [3])
        #expect(connection.order.isEmpty)
        connection.isWritable = true
        page.flush()
        #expect(connection.order == ["text", "file", "picture"])
    }

    @Test func theListComesAfterHello() {
        let page = page()
        connection.isWritable = false
        page.send(Array("hello".utf8))
        page.startList()
        page.flush()
        connection.isWritable = true
        page.flush()
        #expect(connection.texts == ["hello", #"{"cameras":{}}"#])
        page.flush()
        #expect(connection.texts.count == 2)
    }

    @Test func changesOfTheListAreCollected() {
        var isThere = true
        let door = door
        let page = page { $0 != door || isThere ? CameraSummary() : nil }
        connection.isWritable = false
        page.change(door)
        page.change(camera("porch/b"))
        isThere = false
        page.flush()
        connection.isWritable = true
        page.flush()
        #expect(connection.texts.count == 1)
        #expect(connection.texts[0].contains(#""porch/door":null"#))
        #expect(connection.texts[0].contains(#""porch/b":{"#))
    }

    /// A fleet may have thousands of cameras, each with long texts.
    @Test func aLongListComesInParts() {
        var summary = CameraSummary()
        summary.groups = Array(repeating: String(repeating: "g", count: 256), count: 64)
        let page = page { _ in summary }
        connection.becameWritable = { [unowned connection] in connection.isWritable = false }
        for number in 0..<100 { page.change(camera("a\(number)/door")) }
        var sizes: [Int] = []
        for _ in 0..<100 where sizes.count == connection.texts.count {
            connection.isWritable = true
            page.flush()
            if let text = connection.texts.last, connection.texts.count > sizes.count {
                sizes.append(text.utf8.count)
            }
        }
        #expect(sizes.count > 5 && sizes.allSatisfy { $0 < 300 << 10 }, "\(sizes)")
        #expect(connection.texts.map { $0.split(separator: "/door").count - 1 }.reduce(0, +) == 100)
    }

    @Test func aPageThatDoesNotReadIsClosedOnce() {
        let page = page()
        connection.isWritable = false
        for _ in 0..<20 { page.send([UInt8](repeating: 0, count: 64 << 10)) }
        #expect(connection.closed?.code == .tryAgainLater)
        connection.isWritable = true
        page.flush()
        page.send([1])
        #expect(connection.order.isEmpty, "nothing is sent after the close")
    }

    @Test func aStalledPageKeepsOnePictureOfACamera() {
        let page = page()
        page.watch([PreviewRequest(camera: door, width: 960, rate: 60)])
        connection.isWritable = false
        for number in 0..<3 {
            page.take(picture("porch/door", [UInt8(number)]), at: start + .seconds(number))
        }
        #expect(connection.pictures.isEmpty)
        connection.isWritable = true
        page.flush()
        #expect(connection.pictures.map(\.picture.content) == [ByteBuffer(bytes: [2])])
    }

    @Test func anAddressGetsNoText() {
        let page = page(hasText: false)
        page.send([1])
        page.send(header: [1], file: [2])
        page.change(door)
        page.startList()
        page.flush()
        #expect(connection.order.isEmpty)
    }

    @Test func aPageSendsAtMost300MessagesInASecond() {
        let page = page()
        func count(at time: ContinuousClock.Instant) -> PageError? {
            pageError { () throws(PageError) in try page.countMessage(at: time) }
        }
        for number in 0..<300 { #expect(count(at: start + .milliseconds(3 * number)) == nil) }
        #expect(count(at: start + .milliseconds(999))?.code == .tryAgainLater)
        #expect(count(at: start + .milliseconds(1000)) == nil)
    }
}

@Suite struct PictureHeaderTests {
    private func header(_ user: [(name: String, value: String)]) -> String {
        String(decoding: PictureHeader.end(camera("porch/door"), user), as: UTF8.self)
    }

    @Test func itHasTheFieldsOfTheFrame() {
        #expect(header([]) == #","camera":"porch/door"}"#)
        #expect(
            header([
                ("frame", "812"), ("factor", "2.5"), ("exposed_at", "2026-01-02T03:04:05.678Z"),
                ("viewport.x", "0.25"),
                ("viewport.y", "0"), ("viewport.width", "0.5"), ("viewport.height", "0.5"), ("rev", "91"),
            ])
                == #","camera":"porch/door","frame":812,"factor":2.5,"exposed_at":"2026-01-02T03:04:05.678Z","rev":91,"viewport":{"x":0.25,"y":0,"width":0.5,"height":0.5}}"#
        )
        #expect(header([("viewport.x", "0.25")]) == #","camera":"porch/door"}"#, "a viewport has four sides")
    }

    @Test(arguments: [
        ("frame", "nan"), ("frame", "inf"), ("frame", "1e999"), ("frame", "x\"}"), ("frame", ""),
        ("secret", "1"),
        ("viewport.z", "1"), ("exposed_at", "\"}<script>"), ("exposed_at", "2026\n"),
    ])
    func whatIsNoNumberIsLeftOut(name: String, value: String) {
        #expect(header([(name, value)]) == #","camera":"porch/door"}"#)
    }

    @Test func ofANameTheFirstValueCounts() {
        #expect(
            header([("frame", "x"), ("frame", "1"), ("frame", "2"), ("exposed_at", "1"), ("exposed_at", "2")])
                == #","camera":"porch/door","frame":1,"exposed_at":"1"}"#)
        let sides = ["x", "y", "x", "y"].map { (name: "viewport.\($0)", value: "0.5") }
        #expect(header(sides) == #","camera":"porch/door"}"#)
    }

    /// Anyone who may publish on the topic of the pictures chooses the properties.
    @Test func itIsShortWhateverIsPublished() {
        let values = [String(repeating: "9", count: 60_000), "-1.2345678901234567e-300", "1"]
        let names =
            ["frame", "width", "height", "factor", "optical", "rev", "boot", "exposed_at"]
            + ["x", "y", "width", "height"].map { "viewport.\($0)" }
        let user = (0..<5000).flatMap { _ in
            values.flatMap { value in names.map { (name: $0, value: value) } }
        }
        #expect(header(user).utf8.count < 1000)
        #expect(header([("exposed_at", String(repeating: "9", count: 65))]) == #","camera":"porch/door"}"#)
    }
}
