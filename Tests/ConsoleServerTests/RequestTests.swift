import Contract
import NIOHTTP1
import Testing

@testable import Server

@Suite struct RequestSourceTests {
    private func source(
        _ headers: [(String, String)], peer: String, userHeader: String? = "Remote-User"
    ) -> RequestSource {
        let options = RequestOptions(
            proxies: ["10.0.0.1", "10.0.0.2"], userHeader: userHeader, isForProxiesOnly: false,
            publicHosts: [], listensElsewhere: true, opensLocalhost: false)
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders(headers))
        return RequestSource(head, peer: peer, port: 8177, options)
    }

    @Test func aProxyTellsTheHostThatTheBrowserHasAsked() {
        let headers = [("Host", "inside:8099"), ("X-Forwarded-Host", "home.example")]
        #expect(source(headers, peer: "10.0.0.1").host == "home.example")
        #expect(source([("Host", "home.example")], peer: "10.0.0.1").host == "home.example")
        #expect(source(headers, peer: "1.2.3.4").host == "inside:8099")
    }

    @Test func headersOfOthersAreNotBelieved() {
        let headers = [("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-Proto", "https"), ("Remote-User", "a")]
        let source = source(headers, peer: "192.168.1.20")
        #expect(source.network == "192.168.1.20")
        #expect(!source.isSecure)
        #expect(source.user == nil)
        #expect(!source.isFromProxy)
    }

    @Test func aMappedAddressIsTheSame() {
        #expect(source([], peer: "::ffff:10.0.0.1").isFromProxy)
        #expect(source([], peer: "::ffff:10.0.0.1").network == nil, "those of a proxy are not counted")
        #expect(source([], peer: "::ffff:10.0.0.3").network == "10.0.0.3")
        #expect(source([], peer: "::ffff:door").network == "::ffff:door")
    }

    @Test func theUserIsTheOneOfTheProxy() {
        #expect(source([("remote-user", "a")], peer: "10.0.0.1").user == "a")
        #expect(source([], peer: "10.0.0.1").user == nil)
        #expect(source([("Remote-User", "a"), ("Remote-User", "b")], peer: "10.0.0.1").user == "")
        #expect(source([("Remote-User", "a")], peer: "10.0.0.1", userHeader: nil).user == nil)
    }

    @Test func tlsIsThatOfTheProxy() {
        #expect(source([("X-Forwarded-Proto", "HTTPS")], peer: "10.0.0.1").isSecure)
        #expect(!source([("X-Forwarded-Proto", "http")], peer: "10.0.0.1").isSecure)
        #expect(!source([], peer: "10.0.0.1").isSecure)
    }
}

@Suite struct CookieTests {
    @Test(
        arguments: [
            (["n=x"], "x"), (["a=b; n=x"], "x"), (["a=b;n=x; c=d"], "x"), (["n="], ""), (["n=a=b"], "a=b"),
            (["a=b", "n=x"], "x"), (["n=1; n=2"], "1"), (["xn=x"], nil), (["nx=x"], nil), (["n"], nil),
            ([""], nil), ([";;="], nil), ([], nil),
        ] as [([String], String?)])
    func theValueIsFoundInTheHeader(headers: [String], value: String?) {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders(headers.map { ("cookie", $0) }))
        #expect(head.cookie("n") == value)
    }

    /// A browser sends the cookies of a host to all its ports.
    @Test func twoConsolesOfAHostHaveCookiesOfTheirOwn() {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        let names = [8177, 8178].map { port in
            RequestSource(head, peer: "127.0.0.1", port: port, RequestOptions()).cookieName
        }
        #expect(names[0] != names[1])
    }
}

@Suite struct BearerTokenTests {
    @Test(
        arguments: [
            ([], nil), (["Bearer x"], "x"), (["bearer x-_9"], "x-_9"), (["BEARER x"], "x"),
            (["Bearer x y"], "x y"), (["Bearer"], nil), (["Bearer "], nil), (["Basic x"], nil),
            (["Bearerx"], nil), ([""], nil), (["Bearer x", "Bearer x"], nil), (["Basic y", "Bearer x"], nil),
        ] as [([String], String?)])
    func oneHeaderNamesTheToken(values: [String], token: String?) {
        let headers = HTTPHeaders(values.map { ("authorization", $0) })
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
        #expect(head.bearerToken == token)
    }
}

@Suite struct RequestAddressTests {
    @Test(arguments: [
        ("/", [""]), ("/socket", ["socket"]), ("/socket/", ["socket", ""]), ("//socket", ["", "socket"]),
        ("/live/porch/door?token=x", ["live", "porch", "door"]), ("/?a/b", [""]), ("/../x", ["..", "x"]),
        ("/%73ocket", ["%73ocket"]),
        // A combining mark makes one character of the slash and itself.
        ("/\u{31D}a/\u{31D}b", ["\u{31D}a", "\u{31D}b"]),
    ])
    func aPathHasItsParts(uri: String, parts: [String]) { #expect(RequestAddress(uri)?.parts == parts) }

    @Test(arguments: [
        "", "socket", "http://evil.example/socket", "*", "/" + String(repeating: "a", count: 2048),
    ])
    func whatIsNoPathIsRefused(uri: String) { #expect(RequestAddress(uri) == nil) }

    @Test(
        arguments: [
            ("/live?token=x", "x"), ("/live?a=b&token=x&c", "x"), ("/live?token=", ""),
            ("/live?token=a=b", "a=b"),
            ("/live?token", nil), ("/live?atoken=x", nil), ("/live", nil), ("/live?", nil),
            ("/live?token=x&token=y", "x"), ("/live?a&\u{31D}token=x&token=y", "y"),
            ("/live?token=\u{31D}x", "\u{31D}x"),
        ] as [(String, String?)])
    func theQueryHasValues(uri: String, value: String?) {
        #expect(RequestAddress(uri)?.value(of: "token") == value)
    }

    @Test func aCameraHasTwoNames() {
        #expect(RequestAddress("/live/porch/door")?.camera?.description == "porch/door")
        #expect(RequestAddress("/live/Porch/door")?.camera == nil)
        #expect(RequestAddress("/live/porch/..")?.camera == nil)
        #expect(RequestAddress("/live/groups/door")?.camera == nil)
        #expect(RequestAddress("/live/porch")?.camera == nil)
    }
}

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            (nil, 0..<100), ("bytes=0-", 0..<100), ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20),
            ("bytes=99-", 99..<100),
            ("bytes=99-200", 99..<100), ("bytes=100-", nil), ("bytes=100-200", nil), ("bytes=-1", 99..<100),
            ("bytes=-200", 0..<100), ("bytes=-0", nil), ("bytes=0-9223372036854775807", 0..<100),
            ("bytes=9223372036854775807-", nil), ("bytes=-9223372036854775807", 0..<100),
            ("bytes=9223372036854775808-", 0..<100), ("bytes=5-4", 0..<100), ("bytes=0-1,3-4", 0..<100),
            ("bytes=", 0..<100), ("bytes=-", 0..<100), ("bytes=a-b", 0..<100), ("bytes=1-2-3", 0..<100),
            ("bytes=5-x", 0..<100),
            ("items=0-1", 0..<100), ("", 0..<100),
        ] as [(String?, Range<Int>?)])
    func aHeaderNamesTheBytes(header: String?, bytes: Range<Int>?) {
        #expect(ByteRange(header: header).bytes(of: 100) == bytes)
    }

    @Test func anEmptyFileHasNoParts() {
        #expect(ByteRange(header: nil).bytes(of: 0) == 0..<0)
        #expect(ByteRange(header: "bytes=0-").bytes(of: 0) == nil)
        #expect(ByteRange(header: "bytes=-1").bytes(of: 0) == nil)
    }
}

@Suite struct AddressCounterTests {
    @Test func anAddressHasEightSockets() {
        var counter = AddressCounter.ofSockets
        for _ in 0..<8 { #expect(counter.add("a") == true) }
        #expect(counter.add("a") == false)
        #expect(counter.hasRoom("b"))
        counter.remove("a")
        #expect(counter.add("a") == true)
    }

    @Test func thereAreSixtyFourInAll() {
        var counter = AddressCounter.ofSockets
        for number in 0..<64 { #expect(counter.add("\(number / 8)") == true) }
        #expect(counter.add("other") == false)
        counter.remove("0")
        #expect(counter.add("other") == true)
        #expect(!counter.hasRoom("0"))
    }

    @Test func thoseOfAProxyAreCountedInAll() {
        var counter = AddressCounter.ofStrangers
        for _ in 0..<8 { #expect(counter.add(nil) == true) }
        #expect(counter.add(nil) == false)
        #expect(counter.add("a") == false)
        counter.remove(nil)
        #expect(counter.add("a") == true)
    }

    @Test func anAddressHasSoManyConnections() {
        var counter = AddressCounter(max: 100, maxOfAddress: 2)
        #expect(counter.add("a") == true)
        #expect(counter.add("a") == true)
        #expect(counter.add("a") == false)
        #expect(counter.add("b") == true)
        counter.remove("a")
        #expect(counter.add("a") == true)
        #expect(counter.add("a") == false)
    }

    @Test func oneOfManyRefusalsIsReported() {
        var reports = ReportPause()
        let start = ContinuousClock.now
        #expect(reports.mayReport(at: start) == true)
        #expect(reports.mayReport(at: start + .seconds(59)) == false)
        #expect(reports.mayReport(at: start + .seconds(60)) == true)
        #expect(reports.mayReport(at: start + .seconds(61)) == false)
    }
}
