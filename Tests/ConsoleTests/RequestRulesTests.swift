import Testing

@testable import Server

@Suite struct RequestRulesTests {
    @Test(
        arguments: [
            ("http://localhost:8177", "localhost:8177", true),
            ("http://LOCALHOST:8177", "localhost:8177", true),
            ("http://cam.lan", "CAM.lan", true),
            ("http://cam.lan", "cam.lan:80", true),
            ("https://cam.lan", "cam.lan:443", true),
            ("https://cam.lan", "cam.lan", true),
            ("https://cam.lan", "cam.lan:80", false),
            ("http://cam.lan:443", "cam.lan", false),
            ("http://[::1]:8177", "[::1]:8177", true),
            ("http://[::1]", "[::1]:80", true),
            ("http://[::1]:8177", "[::1]", false),
            ("http://[fe80::80]", "[fe80::80]", true),
            ("http://localhost.:8177", "localhost.:8177", true),
            ("http://localhost.:8177", "localhost:8177", false),
            ("http://evil.example", "localhost:8177", false),
            ("http://localhost:8178", "localhost:8177", false),
            ("http://localhost", "localhost:8177", false),
            ("http://localhost:8177.evil.example", "localhost:8177", false),
            ("http://evil.example/localhost:8177", "localhost:8177", false),
            ("http://user@localhost:8177", "localhost:8177", false),
            ("http://localhost:8177/", "localhost:8177", false),
            ("file://localhost:8177", "localhost:8177", false),
            ("localhost:8177", "localhost:8177", false),
            ("null", "null", false), ("null", "localhost", false),
            ("", "", false), ("http://", "", false), (nil, "localhost", false),
            ("http://localhost", nil, false),
            (nil, nil, false),
        ] as [(String?, String?, Bool)])
    func aPageOfTheSameOriginIsTaken(origin: String?, host: String?, isSame: Bool) {
        #expect(RequestRules.isSameOrigin(origin, host: host) == isSame)
    }

    /// A site that gives its own name the address of the console sends its own name as the host.
    @Test(
        arguments: [
            ("localhost", true), ("localhost:8177", true), ("LocalHost:8177", true), ("127.0.0.1", true),
            ("192.168.1.20:8177", true), ("[::1]", true), ("[::1]:8177", true), ("[FE80::1]:8177", true),
            ("[::ffff:192.168.1.20]:80", true), ("255.255.255.255:65535", true),
            ("evil.example", false), ("evil.example:8177", false), ("localhost.evil.example", false),
            ("localhost.", false), ("127.0.0.1.", false), ("127.0.0.1.evil.example", false),
            ("127.0.0.1.nip.io", false),
            ("1.2.3", false), ("1.2.3.256", false), ("1.2.3.+4", false), ("1.2.3.4.5", false), ("...", false),
            ("0x7f.0.0.1", false), ("2130706433", false), ("", false), (":8177", false),
            ("localhost:", false),
            ("localhost:x", false), ("localhost:+80", false), ("localhost:65536", false),
            ("localhost:80:80", false),
            ("::1", false), ("[evil.example]", false), ("[]", false), ("[::1", false), ("[::1]x", false),
            ("[::1]:x", false), ("[abc]", false), ("localhost\u{301}", false), ("ſocalhost", false),
            (nil, false),
        ] as [(String?, Bool)])
    func withoutTokensOnlyAddressesAndLocalhostAreHosts(host: String?, isLocal: Bool) {
        #expect(RequestRules.isLocalName(host: host) == isLocal)
    }

    @Test(
        arguments: [
            ("localhost:8177", true), ("127.0.0.1", true), ("127.9.9.9:80", true), ("[::1]:8177", true),
            ("192.168.1.20", false), ("[::2]", false), ("127.evil.example", false), ("::1", false),
            ("", false), (nil, false),
        ] as [(String?, Bool)])
    func thisMachineHasLoopbackNames(host: String?, isLoopback: Bool) {
        #expect(RequestRules.isLoopback(host: host) == isLoopback)
    }

    /// One machine may have any number of IPv6 addresses of its network.
    @Test(arguments: [
        ("192.168.1.20", "192.168.1.20"), ("2001:db8::1", "20010db800000000"),
        ("2001:db8:0:0:ffff::2", "20010db800000000"), ("2001:db8:0:1::1", "20010db800000001"),
    ])
    func connectionsAreCountedForANetwork(address: String, network: String) {
        #expect(RequestRules.network(of: address) == network)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.0.0.255", true), ("127.1", false), ("127.evil.example", false), ("", false),
        ("1.2.3.4 ", false), ("1.2.3.", false),
    ])
    func anAddressIsFourNumbers(text: String, isAddress: Bool) {
        #expect(RequestRules.isIPv4(text) == isAddress)
    }
}
