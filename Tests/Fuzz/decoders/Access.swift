import Base
import Contract
import NIOHTTP1

@testable import Server

private let tokens: TokenList = {
    var tokens = TokenList()
    for (name, use) in [("tablet", AccessToken.Use.page), ("nvr", .url)] {
        let hash = Hexadecimal.text(of: SHA256.hash(of: Array(name.utf8)))
        tokens.set(
            AccessToken(
                name: name, role: use == .page ? .control : .look, cameras: ["porch/*"], use: use,
                sha256: hash))
    }
    return tokens
}()

/// What a request may contain. Line by line: `Host`, `Origin`, `Cookie`, the address, `Range`, a pattern and
/// a camera. All bytes are also read as the file of the tokens.
func checkAccess(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    func line(_ number: Int) -> String { number < lines.count ? lines[number] : "" }
    checkHost(line(0), origin: line(1))
    checkCookie(line(2))
    checkAddress(line(3))
    checkRange(line(4))
    checkPattern(line(5), line(6))
    checkFile(bytes)
}

private func checkHost(_ host: String, origin: String) {
    if RequestRules.isLocalName(host: host) {
        let name = host.lowercased()
        let isPlain = name.utf8.allSatisfy { "0123456789abcdef.:[]".utf8.contains($0) }
        expect(
            name == "localhost" || name.hasPrefix("localhost:") || isPlain,
            "a name that is not local: \(host)")
    }
    guard RequestRules.isSameOrigin(origin, host: host) else { return }
    let scheme = origin.hasPrefix("http://") ? "http://" : "https://"
    let port = scheme == "http://" ? ":80" : ":443"
    expect(origin.hasPrefix(scheme) && !host.isEmpty, "\(origin) is no origin")
    let names = [String(origin.dropFirst(scheme.count)), host].map { $0.lowercased() }
    expect(
        names[0] == names[1] || names[0] + port == names[1] || names[0] == names[1] + port,
        "\(origin) is not the origin of \(host)")
}

private func checkCookie(_ header: String) {
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Cookie": header])
    guard let secret = head.cookie("v4l2mqtt_console_8177") else { return }
    let access = AccessControl(tokens: tokens, name: "console", RequestOptions())
    let admission = access.admission(secret: secret, .page)
    expect(
        (admission?.viewer.name == "tablet") == (secret == "tablet"), "\(secret) admits \(admission as Any)")
}

private func checkAddress(_ text: String) {
    guard let address = RequestAddress(text) else { return }
    let path = Array(text.utf8.prefix { $0 != UInt8(ascii: "?") })
    expect(
        Array(("/" + address.parts.joined(separator: "/")).utf8) == path,
        "\(text) is read as \(address.parts)")
    if let camera = address.camera {
        expect("\(camera)" == "\(address.parts[1])/\(address.parts[2])", "another camera: \(camera)")
    }
    if let token = address.value(of: "token") {
        expect(Array(text.utf8).contains(Array("token=\(token)".utf8)), "another token: \(token)")
    }
}

private func checkRange(_ header: String) {
    let range = ByteRange(header: header)
    for total in [0, 1, 100, Int.max] {
        guard let bytes = range.bytes(of: total) else { continue }
        expect(bytes.lowerBound >= 0 && bytes.upperBound <= total, "\(bytes) of \(total)")
        expect(!bytes.isEmpty || total == 0, "a part of nothing")
    }
}

private func checkPattern(_ text: String, _ name: String) {
    guard let pattern = CameraPattern(text), let camera = CameraAddress(name) else { return }
    let levels = text == "*" ? ["*", "*"] : text.split(separator: "/").map(String.init)
    let isMatch = zip(levels, [camera.agent, camera.camera]).allSatisfy {
        matches(Array($0.utf8), Array($1.utf8))
    }
    expect(pattern.matches(camera) == isMatch, "\(pattern) and \(camera)")
}

/// By the table of all beginnings of both.
private func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
    var row = [true] + [Bool](repeating: false, count: name.count)
    for byte in pattern {
        var next = [Bool](repeating: false, count: name.count + 1)
        for place in 0...name.count {
            if byte == UInt8(ascii: "*") {
                next[place] = row[place] || (place > 0 && next[place - 1])
            } else {
                next[place] = place > 0 && row[place - 1] && name[place - 1] == byte
            }
        }
        row = next
    }
    return row[name.count]
}

private func checkFile(_ bytes: [UInt8]) {
    let list: TokenList
    do throws(AccessError) {
        list = try TokenList(file: bytes)
    } catch {
        return expect(!error.description.isEmpty, "nothing is said")
    }
    expect(
        list.tokens.count <= 1000 && Set(list.tokens.map(\.name)).count == list.tokens.count, "a name twice")
    expect((try? TokenList(file: list.file)) == list, "the file is not read as it was written")
    for token in list.tokens where token.use == .url {
        expect(token.role == .look, "a token for addresses controls")
    }
}
