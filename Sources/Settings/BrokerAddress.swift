/// A broker as users write it: `broker.lan`, `broker.lan:1884`, `192.0.2.1:1884`, `::1` or `[::1]:1884`.
package struct BrokerAddress: Sendable, Equatable, CustomStringConvertible {
    /// A host name or an address without brackets, 1 to 253 bytes.
    package let host: String
    /// 1 to 65,535; nil: the port of all hosts without one.
    package let port: Int?

    package init(_ host: String, port: Int) { (self.host, self.port) = (host, port) }

    package init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            self.init(text[text.index(after: text.startIndex)..<end], port: text[text.index(after: end)...])
            guard host.contains(":") else { return nil }
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            self.init(text[..<colon], port: text[colon...])
        } else {
            self.init(text[...], port: "")
        }
    }

    /// - Parameter port: empty, or a colon and a number.
    private init?(_ host: Substring, port: Substring) {
        guard (1...253).contains(host.utf8.count), !host.contains(where: { $0.isWhitespace }),
            host.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) }),
            !host.utf8.contains(where: { "/[]".utf8.contains($0) })
        else { return nil }
        self.host = String(host)
        guard !port.isEmpty else {
            self.port = nil
            return
        }
        let digits = port.dropFirst()
        guard port.first == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            (1...65_535).contains(number)
        else { return nil }
        self.port = number
    }

    package var description: String {
        guard let port else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
