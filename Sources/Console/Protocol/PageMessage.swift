package import Messages

/// A message of a page. README.md describes the protocol.
package enum PageMessage: Equatable, Sendable {
    case token(String)
    case open([CameraName])
    case watch([PreviewWish])
    case command(PageCommand)
    case drawn(Int)

    /// The largest number of cameras that a page may open or watch.
    package static let maxCameras = 16
    private static let maxTokenBytes = 256

    /// - Throws: ``PageError``.
    package init(_ bytes: [UInt8]) throws(PageError) {
        if let number = Self.drawnNumber(bytes) {
            self = .drawn(number)
            return
        }
        guard let fields = JSONTree(bytes)?.object, fields.count == 1,
            let (kind, value) = fields.first, let message = try Self.message(kind, value)
        else { throw PageError(.invalidData, "expected a JSON object with one known field") }
        self = message
    }

    /// - Returns: nil for an unknown kind, and for a value of another form.
    private static func message(_ kind: String, _ value: JSONTree) throws(PageError) -> PageMessage? {
        switch kind {
        case "token":
            guard let token = value.text else { return nil }
            guard token.utf8.count <= maxTokenBytes else {
                throw PageError(.policy, "the token is too long")
            }
            return .token(token)
        case "open":
            guard let list = value.list else { return nil }
            let names = list.compactMap(\.text)
            return names.count == list.count ? .open(try cameras(names)) : nil
        case "watch":
            guard let list = value.list else { return nil }
            return try wishes(list).map { .watch($0) }
        case "command":
            guard let fields = value.object, let camera = fields["camera"]?.text,
                let node = fields["node"]?.text, let payload = fields["payload"]?.object
            else { return nil }
            let id = fields["id"] ?? .null
            guard id == .null || id.text != nil else { return nil }
            return .command(try PageCommand(id.text, camera, node, payload))
        case "drawn": return value.integer.map { .drawn($0) }
        default: return nil
        }
    }

    private static func wishes(_ list: [JSONTree]) throws(PageError) -> [PreviewWish]? {
        let fields = list.compactMap(\.object)
        let names = fields.compactMap { $0["camera"]?.text }
        let sizes = fields.compactMap { fields in
            fields["width"]?.integer.flatMap { width in fields["fps"]?.number.map { (width: width, rate: $0) }
            }
        }
        guard names.count == list.count, sizes.count == list.count else { return nil }
        var wishes: [PreviewWish] = []
        for (camera, size) in zip(try cameras(names), sizes) {
            guard PreviewWish.widths.contains(size.width), PreviewWish.rates.contains(size.rate) else {
                throw PageError(
                    .policy, "watch: width is \(PreviewWish.widths), fps \(PreviewWish.rates)")
            }
            wishes.append(PreviewWish(camera: camera, width: size.width, rate: size.rate))
        }
        return wishes
    }

    private static func cameras(_ names: [String]) throws(PageError) -> [CameraName] {
        guard names.count <= maxCameras else {
            throw PageError(.policy, "at most \(maxCameras) cameras at once")
        }
        var cameras: [CameraName] = []
        for name in names {
            guard let camera = CameraName(name) else {
                throw PageError(.policy, "a camera is named as in porch/door")
            }
            guard !cameras.contains(camera) else { throw PageError(.policy, "\(camera) is there twice") }
            cameras.append(camera)
        }
        return cameras
    }

    private static let drawnPrefix = Array(#"{"drawn":"#.utf8)

    /// The number of `{"drawn":17}`, of which a page sends one for each picture; nil: it is another message,
    /// or is written in another way.
    private static func drawnNumber(_ bytes: [UInt8]) -> Int? {
        guard bytes.starts(with: drawnPrefix), bytes.last == UInt8(ascii: "}") else { return nil }
        let digits = bytes.dropFirst(drawnPrefix.count).dropLast()
        guard (1...15).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit & 0x0F)
        }
        return number
    }
}

/// The pictures that a page wants of a camera.
package struct PreviewWish: Equatable, Sendable {
    static let widths = 16...4096
    static let rates = 0.1...60.0

    package let camera: CameraName
    /// In pixels.
    package let width: Int
    /// Frames per second at the most.
    package let rate: Double

    package init(camera: CameraName, width: Int, rate: Double) {
        (self.camera, self.width, self.rate) = (camera, width, rate)
    }
}

/// A command of a page, as it came: nothing of it is checked but its form.
package struct PageCommand: Equatable, Sendable {
    /// Nil: a sample of a gesture, which is not answered.
    package let id: String?
    package let camera: CameraName
    package let node: String
    package let payload: [String: JSONTree]

    private static let ids = 1...32
    /// Fields that only the console writes.
    private static let reserved = ["id", "client", "ts"]

    package init(
        _ id: String?, _ camera: String, _ node: String, _ payload: [String: JSONTree]
    ) throws(PageError) {
        guard id.map({ Self.ids.contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isOfID) }) ?? true else {
            throw PageError(.policy, "an id is 1 to 32 letters and digits")
        }
        guard let name = CameraName(camera) else {
            throw PageError(.policy, "a camera is named as in porch/door")
        }
        if let field = Self.reserved.first(where: { payload[$0] != nil }) {
            throw PageError(.policy, "the field \(field) of a command is the console's")
        }
        (self.id, self.camera, self.node, self.payload) = (id, name, node, payload)
    }

    private static func isOfID(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}

/// Why a socket is closed.
package struct PageError: Error, Equatable, Sendable {
    /// Codes of RFC 6455, section 7.4, and of its registry.
    package enum Code: Int, Sendable {
        case goingAway = 1001
        case protocolError = 1002
        case unacceptable = 1003
        case invalidData = 1007
        case policy = 1008
        case tooLarge = 1009
        case tryAgainLater = 1013
    }

    package let code: Code
    /// At most ``maxReasonBytes``.
    package let reason: String

    /// The limit of the protocol.
    private static let maxReasonBytes = 123

    package init(_ code: Code, _ reason: String) {
        var reason = reason
        while reason.utf8.count > Self.maxReasonBytes { reason.unicodeScalars.removeLast() }
        (self.code, self.reason) = (code, reason)
    }
}
