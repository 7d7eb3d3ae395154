import NIOHTTP1
import Testing

@testable import Contract
@testable import Server

@Suite struct AccessControlTests {
    private func control(_ tokens: TokenList, _ options: RequestOptions = RequestOptions()) -> AccessControl {
        AccessControl(tokens: tokens, name: "console", options)
    }

    private func isOpen(
        _ options: RequestOptions, peer: String = "127.0.0.1", _ headers: [(String, String)],
        tokens: TokenList = TokenList()
    ) -> Bool {
        let source = source(headers, peer: peer, options)
        return control(tokens, options).admission(source, secret: nil)?.viewer.role == .manage
    }

    @Test(
        arguments: [
            ("127.0.0.1", [("Host", "localhost:8177")], true),
            ("127.0.0.1", [("Host", "127.0.0.1")], true),
            ("127.3.2.1", [("Host", "127.9.9.9:1")], true),
            ("::1", [("Host", "[::1]:8177")], true),
            ("::ffff:127.0.0.1", [("Host", "LocalHost")], true),
            ("127.0.0.1", [("Host", "localhost"), ("Sec-Fetch-Site", "same-origin")], true),
            ("127.0.0.1", [("Host", "localhost"), ("Sec-Fetch-Site", "none")], true),
            ("127.0.0.1", [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site")], false),
            ("192.168.1.20", [("Host", "localhost")], false),
            ("127.0.0.1", [("Host", "192.168.1.20:8177")], false),
            ("127.0.0.1", [("Host", "evil.example")], false),
            ("127.0.0.1", [("Host", "127.evil.example")], false),
            ("127.0.0.1", [], false),
            ("127.0.0.1", [("Host", "localhost"), ("X-Forwarded-For", "127.0.0.1")], false),
            ("127.0.0.1", [("Host", "localhost"), ("x-forwarded-host", "localhost")], false),
            ("127.0.0.1", [("Host", "localhost"), ("X-Forwarded-Proto", "http")], false),
            ("127.0.0.1", [("Host", "localhost"), ("Forwarded", "for=1.2.3.4")], false),
            ("127.0.0.1", [("Host", "localhost"), ("X-Real-IP", "1.2.3.4")], false),
            ("127.0.0.1", [("Host", "localhost"), ("Via", "1.1 caddy")], false),
        ] as [(String, [(String, String)], Bool)])
    func thisMachineNeedsNoToken(peer: String, headers: [(String, String)], isOpen: Bool) {
        // Whether there is a token makes no difference.
        for tokens in [TokenList(), list(token("a").token, token("nvr", .look, use: .url).token)] {
            #expect(self.isOpen(RequestOptions(), peer: peer, headers, tokens: tokens) == isOpen)
            #expect(
                self.isOpen(RequestOptions(listensElsewhere: true), peer: peer, headers, tokens: tokens)
                    == false)
            #expect(
                self.isOpen(RequestOptions(proxies: ["10.0.0.1"]), peer: peer, headers, tokens: tokens)
                    == false)
            let opened = RequestOptions(proxies: ["10.0.0.1"], listensElsewhere: true, opensLocalhost: true)
            #expect(self.isOpen(opened, peer: peer, headers, tokens: tokens) == isOpen)
        }
    }

    @Test func aTokenCountsAlsoWhereNoneIsNeeded() throws {
        let (made, secret) = token("a", .look)
        let access = control(list(made))
        let local = source([("Host", "localhost")], peer: "127.0.0.1", RequestOptions())
        #expect(access.admission(local, secret: secret)?.viewer == Viewer(made))
        let open = try #require(access.admission(local, secret: "wrong"))
        #expect(open.viewer.role == .manage && open.token == nil)
        access.tokens = TokenList()
        #expect(access.isValid(open))
        #expect(access.admission(local, secret: secret)?.token == nil, "the removal counts at once")
    }

    /// A browser of the proxy's machine can send what the proxy sends, but not its host.
    @Test func aProxyThatAdmitsPeopleIsAskedByAKnownName() {
        let options = RequestOptions(
            proxies: ["127.0.0.1", "10.0.0.1"], isForProxiesOnly: true, publicHosts: ["Cams.Example"])
        for (peer, host, isOpen) in [
            ("127.0.0.1", "cams.example", true), ("127.0.0.1", "CAMS.example:443", true),
            ("127.0.0.1", "192.168.1.20", true), ("127.0.0.1", "evil.example", false),
            ("10.0.0.1", "home.example", true), ("10.0.0.2", "cams.example", false),
        ] {
            for header in ["Host", "X-Forwarded-Host"] {
                let headers = [("Host", host), (header, host), ("X-Forwarded-For", "1.2.3.4")]
                #expect(self.isOpen(options, peer: peer, headers) == isOpen, "\(peer) \(host)")
            }
        }
        #expect(!isOpen(options, peer: "10.0.0.1", [("Host", "a")], tokens: list(token("a").token)))
    }

    @Test func theFirstTokenClosesAProxyForGood() throws {
        let options = RequestOptions(proxies: ["10.0.0.1"], isForProxiesOnly: true)
        let access = control(TokenList(), options)
        let source = source([("Host", "home.example")], peer: "10.0.0.1", options)
        let admission = try #require(access.admission(source, secret: nil))
        #expect(access.isValid(admission))
        access.tokens = list(token("a").token)
        #expect(!access.isValid(admission), "now a token is needed")
        access.tokens = TokenList()
        #expect(access.admission(source, secret: nil) == nil)
    }

    @Test func thePagesOfAnOpenConsoleAreClientsOfTheirOwn() {
        let local = source([("Host", "localhost")], peer: "127.0.0.1", RequestOptions())
        func client(_ page: String?, of console: String = "console") -> String? {
            AccessControl(tokens: TokenList(), name: console, RequestOptions())
                .admission(local, secret: nil, page: page)?.viewer.name
        }
        #expect(client("k3m09xyz") == "console-k3m09xyz")
        #expect(client(nil) == "console")
        let name = client("k3m09xyz", of: String(repeating: "c", count: 64)) ?? ""
        #expect(name.utf8.count == 64 && name.hasSuffix("c-k3m09xyz"))
        #expect(client("k3m09xyz Anna's phone") == "console-k3m09xyz Anna's phone")
    }

    @Test(arguments: [nil, "", "k3m09xy", "k3m09xyz0", "K3M09XYZ", "k3m09x/z", "k3m09x\u{E9}z"])
    func aPageWithoutANameOfItsOwnGetsOne(asked: String?) {
        let name = PageName.own(asked)
        #expect(name != asked)
        #expect(PageName.own(name) == name)
        #expect(PageName.own(asked) != name)
    }

    @Test(arguments: [
        ("", ""), (nil, ""), ("x", ""), ("41", " A"), ("416E6E612773", " Anna's"),
        ("2041202042e28083", " A B\u{2003}"),
        ("41000a1be280ae42", " AB"), ("ff", " \u{FFFD}"), ("2020", ""),
        (String(repeating: "c3a4", count: 21), " " + String(repeating: "ä", count: 20)),
    ])
    func aPersonGivesANameToAPage(digits: String?, name: String) {
        #expect(PageName.own("k3m09xyz", given: digits) == "k3m09xyz" + name)
        #expect(PageName.own(nil, given: digits).dropFirst(8) == name)
    }

    @Test func withoutItsLastTokenAConsoleAdmitsNobody() throws {
        let (made, secret) = token("a")
        let options = RequestOptions(listensElsewhere: true)
        let access = control(list(made), options)
        let source = source([("Host", "cam.lan")], peer: "192.168.1.20", options)
        let admission = try #require(access.admission(source, secret: secret))
        #expect(access.isValid(admission))
        access.tokens = TokenList()
        #expect(!access.isValid(admission))
        #expect(access.admission(source, secret: secret) == nil)
        #expect(access.admission(secret: secret, .page) == nil)
    }

    @Test func aTokenAdmitsItsDevice() throws {
        let (made, secret) = token("a", .look, cameras: ["porch/*"])
        let access = control(list(made))
        let admission = try #require(access.admission(secret: secret, .page))
        #expect(admission.viewer.name == "a")
        #expect(admission.viewer.role == .look)
        #expect(admission.viewer.sees(camera("porch/door")))
        #expect(!admission.viewer.sees(camera("cellar/door")))
        #expect(access.isValid(admission))
        access.tokens = list(token("a", .look, cameras: ["porch/*"]).token)
        #expect(!access.isValid(admission), "the token was replaced")
        #expect(access.admission(secret: secret, .page) == nil)
    }

    @Test func aTokenWithOtherRightsClosesItsPages() throws {
        var (made, secret) = token("a", .manage)
        let access = control(list(made))
        let admission = try #require(access.admission(secret: secret, .page))
        made.role = .look
        access.tokens = list(made)
        #expect(!access.isValid(admission))
    }

    @Test func eachUseHasItsTokens() {
        let (page, pageSecret) = token("a"), (url, urlSecret) = token("b", .look, use: .url)
        let (metrics, metricsSecret) = token("c", .metrics, use: .metrics)
        let access = control(list(page, url, metrics))
        for (secret, own) in [
            (pageSecret, AccessToken.Use.page), (urlSecret, .url), (metricsSecret, .metrics),
        ] {
            for use in AccessToken.Use.allCases {
                #expect(access.admission(secret: secret, use)?.token?.use == (use == own ? own : nil))
            }
        }
        for wrong in ["", " ", String(pageSecret.dropLast()), pageSecret + "A", page.sha256] {
            #expect(access.admission(secret: wrong, .page) == nil)
        }
    }

    @Test func aHashInUpperCaseIsTheSame() throws {
        var (made, secret) = token("a")
        made.sha256 = made.sha256.uppercased()
        let access = control(try TokenList(file: list(made).file))
        #expect(access.admission(secret: secret, .page)?.token == made)
    }

    @Test func aUserOfAProxyHasTheTokenOfTheName() {
        let options = RequestOptions(proxies: ["10.0.0.1", "127.0.0.1"], userHeader: "Remote-User")
        let access = control(list(token("a", .look).token, token("nvr", .look, use: .url).token), options)
        func admission(_ users: String..., peer: String = "10.0.0.1", secret: String? = nil) -> Admission? {
            let headers = [("Host", "home.example")] + users.map { ("remote-user", $0) }
            return access.admission(source(headers, peer: peer, options), secret: secret)
        }
        let (other, secret) = token("other")
        access.tokens.set(other)
        #expect(admission("a")?.viewer.role == .look)
        #expect(admission("b", secret: secret) == nil, "another token does not help")
        #expect(admission("") == nil && admission("a", "a") == nil)
        #expect(admission("nvr") == nil, "a token for addresses opens no page")
        #expect(admission("a", peer: "127.0.0.1") == nil, "a browser of this machine, by a name of another")
        #expect(admission(secret: secret)?.viewer.name == "other")
        #expect(
            control(TokenList(), options).admission(
                source([("remote-user", "b")], peer: "10.0.0.1", options), secret: nil) == nil)
    }
}

@Suite struct RoleTests {
    private struct Rule: CustomStringConvertible {
        let node: String
        var payload: JSONObject = [:]
        let role: Role?
        var description: String { "\(node) \(payload)" }
    }

    /// The table of Sources/Server/Console/README.md. A node that is not here fails `everyNodeIsDecided`.
    /// Not kept: LeakSanitizer does not see the values of a tree in a variable.
    private static var rules: [Rule] {
        [
            "zoom", "pinch", "touch", "viewport", "capture", "recording", "session", "controls", "presets",
            "lease",
        ].map {
            Rule(node: $0, role: .control)
        } + [
            Rule(node: "preview", role: nil), Rule(node: "desired", role: .manage),
            Rule(node: "privacy", payload: ["state": .text("ON")], role: .control),
            Rule(node: "privacy", payload: ["state": .text("on")], role: .control),
            Rule(node: "privacy", payload: ["state": .text("OFF")], role: .manage),
            Rule(node: "privacy", payload: ["state": .flag(true)], role: .manage),
            Rule(node: "privacy", payload: ["state": .list([.text("ON")])], role: .manage),
            Rule(node: "privacy", role: .manage),
            Rule(node: "media", payload: ["list": .object([:])], role: .control),
            Rule(node: "media", payload: ["get": .text("a.jpg")], role: .control),
            Rule(node: "media", payload: ["delete": .text("a.jpg")], role: .manage),
            Rule(node: "media", payload: ["get": .text("a.jpg"), "delete": .null], role: .manage),
            Rule(node: "Zoom", role: nil), Rule(node: "zoom/set", role: nil), Rule(node: "", role: nil),
            Rule(node: "image", role: nil), Rule(node: "diagnostics", role: nil),
        ]
    }

    @Test func everyRuleHolds() {
        for rule in Self.rules {
            let role = Node(name: rule.node).flatMap { $0.contract.role(for: rule.payload) }
            #expect(role == rule.role, "\(rule)")
        }
    }

    @Test func everyNodeIsDecided() {
        for node in Node.allCases {
            #expect(Self.rules.contains { $0.node == node.name }, "which role may use \(node)?")
        }
    }

    @Test func eachRoleIncludesTheOnesBefore() {
        #expect(Role.metrics < .look && .look < .control && .control < .manage)
        #expect(Role.allCases.count == 4)
    }
}
