/// Where a server listens: an IP address or a host name, and a port.
package struct ListenAddress: Sendable, Equatable {
    package let address: String
    /// 0: the system chooses one.
    package let port: Int

    /// Reads a text such as `127.0.0.1:8177` or `[::]:8177`; nil: it is none.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var address = String(text[..<colon])
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        if address.isEmpty { return nil }
        (self.address, self.port) = (address, Int(port))
    }

    /// The address of a page with this port.
    ///
    /// - Parameter port: on which the server listens.
    package func url(port: Int) -> String {
        "http://\(address.contains(":") ? "[\(address)]" : address):\(port)/"
    }
}
