import Testing

@testable import Contract
@testable import Server

@Suite struct CookieTests {
    private let cookies = SessionCookie(key: key)

    @Test func aCookieIsThatOfItsToken() {
        let made = token("a").token, other = token("b").token
        let value = cookies.value(for: made, at: 1000)
        #expect(cookies.token(of: value, in: list(other, made), at: 1000) == made)
        #expect(
            cookies.token(of: value, in: list(other, made), at: 1000 + SessionCookie.lifetime - 1) == made)
    }

    @Test func aCookieEnds() {
        let made = token("a").token
        let value = cookies.value(for: made, at: 1000)
        #expect(cookies.token(of: value, in: list(made), at: 1000 + SessionCookie.lifetime) == nil)
    }

    @Test func aCookieEndsWithItsToken() {
        let made = token("a").token
        let value = cookies.value(for: made, at: 1000)
        #expect(cookies.token(of: value, in: TokenList(), at: 1000) == nil)
        #expect(
            cookies.token(of: value, in: list(token("a").token), at: 1000) == nil, "the token was replaced")
    }

    @Test func aCookieOfAnotherKeyIsForged() {
        let made = token("a").token
        let value = SessionCookie(key: [UInt8](repeating: 8, count: 32)).value(for: made, at: 1000)
        #expect(cookies.token(of: value, in: list(made), at: 1000) == nil)
    }

    @Test func aCookieForAddressesIsNone() {
        let made = token("a", .look, use: .url).token
        let value = cookies.value(for: made, at: 1000)
        #expect(cookies.token(of: value, in: list(made), at: 1000) == nil)
    }

    /// Each byte of the name, the expiry and the code counts.
    @Test func aChangedCookieIsForged() {
        let made = token("a").token, other = token("b").token
        let tokens = list(made, other), value = Array(cookies.value(for: made, at: 1000).utf8)
        for place in value.indices {
            for byte in Array("ab019A._-".utf8) where byte != value[place] {
                var changed = value
                changed[place] = byte
                let text = String(decoding: changed, as: UTF8.self)
                #expect(cookies.token(of: text, in: tokens, at: 1000) == nil, "\(text)")
            }
        }
        for text in ["", ".", "..", "...", "a", "a.1", "a.9999999999.", "a..", "a.+9999999999.x"] {
            #expect(cookies.token(of: text, in: tokens, at: 1000) == nil, "\(text)")
        }
        let text = String(decoding: value, as: UTF8.self)
        for wrong in [text + "A", text + ".", " " + text, "a." + text] {
            #expect(cookies.token(of: wrong, in: tokens, at: 1000) == nil, "\(wrong)")
        }
    }

    @Test(
        arguments: [
            ("NAME=x", "x"), ("a=b; NAME=x", "x"),
            ("a=b;NAME=x; c=d", "x"),
            ("NAME=", ""), ("NAME=a=b", "a=b"), ("xNAME=x", nil),
            ("NAMEx=x", nil), ("v4l2mqtt_console=x", nil), ("NAME", nil), ("", nil),
            (";;=", nil),
        ] as [(String, String?)])
    func theValueIsFoundInTheHeader(header: String, value: String?) {
        #expect(cookies.value(inHeader: header.replacing("NAME", with: cookies.name)) == value)
    }
}

@Suite struct CookieNameTests {
    /// A browser sends the cookies of a host to all its ports.
    @Test func twoConsolesOfAHostHaveCookiesOfTheirOwn() {
        let one = SessionCookie(key: key), two = SessionCookie(key: [UInt8](repeating: 8, count: 32))
        #expect(one.name != two.name)
        #expect(one.name == SessionCookie(key: key).name, "also after a restart")
        let header = "\(two.name)=2; \(one.name)=1"
        #expect(one.value(inHeader: header) == "1")
        #expect(two.value(inHeader: header) == "2")
    }
}

@Suite struct AttemptLimitTests {
    private let start = ContinuousClock.now

    @Test func anAddressHasFiveAttemptsInAMinute() {
        var limit = AttemptLimit()
        for second in 0..<5 {
            #expect(limit.mayTry("a", at: start + .seconds(second)))
            limit.failed("a", at: start + .seconds(second))
        }
        #expect(!limit.mayTry("a", at: start + .seconds(5)))
        #expect(!limit.mayTry("a", at: start + .seconds(59)))
        #expect(limit.mayTry("b", at: start + .seconds(5)), "another address has its own")
        #expect(limit.mayTry("a", at: start + .seconds(60)), "the first one is a minute ago")
        limit.failed("a", at: start + .seconds(60))
        #expect(!limit.mayTry("a", at: start + .seconds(60)), "the second one is not")
        #expect(limit.mayTry("a", at: start + .seconds(61)))
    }

    @Test func theOldestOfManyAddressesIsForgotten() {
        var limit = AttemptLimit()
        for number in 0..<1000 {
            for _ in 0..<5 { limit.failed("\(number)", at: start + .milliseconds(number)) }
        }
        let later = start + .seconds(2)
        limit.failed("new", at: later)
        #expect(limit.mayTry("0", at: later))
        #expect(!limit.mayTry("1", at: later))
        #expect(!limit.mayTry("999", at: later))
    }
}

@Suite struct CookieRenewalTests {
    private let day = 86_400

    @Test func aCookieIsRenewedOnceInADay() throws {
        let (made, _) = token("a")
        let cookies = SessionCookie(key: key)
        let tokens = list(made)
        let first = cookies.value(for: made, at: 0)
        #expect(cookies.renewed(first, in: tokens, at: day) == nil)
        let second = try #require(cookies.renewed(first, in: tokens, at: day + 1))
        #expect(cookies.token(of: second, in: tokens, at: SessionCookie.lifetime + day) == made)
        #expect(cookies.renewed(first, in: tokens, at: SessionCookie.lifetime) == nil, "it is expired")
        #expect(cookies.renewed(first + "A", in: tokens, at: 2 * day) == nil)
        #expect(cookies.renewed(first, in: TokenList(), at: 2 * day) == nil)
    }
}

@Suite struct AccessControlTests {
    private let now = ContinuousClock.now

    private func control(_ tokens: TokenList, mayBeOpen: Bool = true) -> AccessControl {
        AccessControl(tokens: tokens, key: key, name: "console", mayBeOpen: mayBeOpen)
    }

    @Test func anOpenConsoleAdmitsEverybody() throws {
        let access = control(TokenList())
        let admission = try #require(access.admission(cookie: nil, at: 0))
        #expect(admission.viewer.name == "console")
        #expect(admission.viewer.role == .manage)
        #expect(access.isOpen)
        #expect(access.isValid(admission))
        access.tokens = list(token("a").token)
        #expect(!access.isOpen)
        #expect(!access.isValid(admission), "now a token is needed")
        #expect(access.admission(cookie: nil, at: 0) == nil)
    }

    @Test func thePagesOfAnOpenConsoleAreClientsOfTheirOwn() {
        let access = control(TokenList())
        func client(_ page: String?) -> String? {
            access.admission(cookie: nil, page: page, at: 0)?.viewer.name
        }
        #expect(client("k3m09xyz") == "console-k3m09xyz")
        #expect(client(nil) == "console")
        let long = AccessControl(
            tokens: TokenList(), key: key, name: String(repeating: "c", count: 64), mayBeOpen: true)
        let name = long.admission(cookie: nil, page: "k3m09xyz", at: 0)?.viewer.name ?? ""
        #expect(name.utf8.count == 64 && name.hasSuffix("c-k3m09xyz"))
    }

    @Test(arguments: [nil, "", "k3m09xy", "k3m09xyz0", "K3M09XYZ", "k3m09x/z", "k3m09x\u{E9}z"])
    func aPageWithoutANameOfItsOwnGetsOne(asked: String?) {
        let name = PageName.own(asked)
        #expect(name != asked)
        #expect(PageName.own(name) == name)
        #expect(PageName.own(asked) != name)
    }

    /// On an address that others reach, and on that of this machine.
    @Test(arguments: [false, true]) func withoutItsLastTokenAConsoleAdmitsNobody(mayBeOpen: Bool) throws {
        let (made, secret) = token("a")
        let access = control(list(made), mayBeOpen: mayBeOpen)
        let cookie = "\(access.cookies.name)=\(access.cookies.value(for: made, at: 0))"
        let admission = try #require(access.admission(cookie: cookie, at: 1))
        #expect(access.isValid(admission))
        access.tokens = TokenList()
        #expect(!access.isOpen)
        #expect(!access.isValid(admission))
        #expect(access.admission(cookie: cookie, at: 1) == nil)
        #expect(access.admission(cookie: nil, at: 1) == nil)
        #expect(access.admission(user: "a") == nil)
        #expect(
            pageError { () throws(PageError) in
                _ = try access.admission(secret: secret, use: .page, address: "x", at: now)
            }?.code == .policy)
    }

    @Test func aTokenAdmitsItsDevice() throws {
        let (made, secret) = token("a", .look, cameras: ["porch/*"])
        let access = control(list(made))
        let admission = try access.admission(secret: secret, use: .page, address: "x", at: now)
        #expect(admission.viewer.name == "a")
        #expect(admission.viewer.role == .look)
        #expect(admission.viewer.sees(camera("porch/door")))
        #expect(!admission.viewer.sees(camera("cellar/door")))
        let cookie = "\(access.cookies.name)=\(access.cookies.value(for: made, at: 0))"
        #expect(access.admission(cookie: cookie, at: 1) == admission)
        #expect(access.isValid(admission))
        access.tokens = list(token("a", .look, cameras: ["porch/*"]).token)
        #expect(!access.isValid(admission), "the token was replaced")
    }

    @Test func aTokenWithOtherRightsClosesItsPages() throws {
        var (made, secret) = token("a", .manage)
        let access = control(list(made))
        let admission = try access.admission(secret: secret, use: .page, address: "x", at: now)
        made.role = .look
        access.tokens = list(made)
        #expect(!access.isValid(admission))
    }

    @Test func afterFiveWrongTokensAnAddressWaitsAndARightTokenIsAdmitted() throws {
        let (made, secret) = token("a")
        let access = control(list(made))
        for _ in 0..<5 {
            #expect(
                pageError { () throws(PageError) in
                    _ = try access.admission(secret: "x", use: .page, address: "1", at: now)
                }?.code == .policy)
        }
        for (address, time, code) in [
            ("1", now, PageError.Code.tryAgainLater), ("2", now, .policy), ("1", now + .seconds(61), .policy),
        ] {
            #expect(
                pageError { () throws(PageError) in
                    _ = try access.admission(secret: "x", use: .page, address: address, at: time)
                }?.code == code)
        }
        _ = try access.admission(secret: secret, use: .page, address: "1", at: now)
    }

    @Test func aUserOfAProxyHasTheTokenOfTheName() {
        let access = control(list(token("a", .look).token, token("nvr", .look, use: .url).token))
        #expect(access.admission(user: "a")?.viewer.role == .look)
        #expect(access.admission(user: "b") == nil)
        #expect(access.admission(user: "") == nil)
        #expect(access.admission(user: "nvr") == nil, "a token for addresses opens no page")
        #expect(control(TokenList()).admission(user: "b") == nil, "the name is that of a token")
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
        #expect(Role.look < .control && .control < .manage)
        #expect(Role.allCases.count == 3)
    }
}
