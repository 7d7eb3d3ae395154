internal import Contract

/// A message of a page. README.md describes the protocol.
enum PageMessage: Equatable, Sendable {
    case token(String)
    case open([CameraAddress])
    case watch([PreviewRequest])
    case command(PageCommand)
    case drawn(Int)

    /// The largest number of cameras that a page may watch.
    static let maxCameras = 16
    /// The largest number of cameras that a page may open: those on a large screen.
    static let maxOpen = 64
    private static let maxTokenBytes = 256
    /// The largest message with a token: nothing else is parsed of a page that has not sent it.
    static let maxTokenMessageBytes = 512

    /// - Throws: ``PageError``.
    init(_ bytes: [UInt8]) throws(PageError) {
        if let number = Self.drawnNumber(bytes) {
            self = .drawn(number)
            return
        }
        guard let fields = JSON(bytes)?.object, fields.count == 1,
            let field = fields.members.first, let message = try Self.message(field.name, field.value)
        else { throw PageError(.invalidData, "expected a JSON object with one known field") }
        self = message
    }

    /// - Returns: nil for an unknown kind, and for a value of another form.
    private static func message(_ kind: String, _ value: JSON) throws(PageError) -> PageMessage? {
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
            return names.count == list.count ? .open(try cameras(names, atMost: maxOpen)) : nil
        case "watch":
            guard let list = value.list else { return nil }
            return try previews(list).map { .watch($0) }
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

    private static func previews(_ list: [JSON]) throws(PageError) -> [PreviewRequest]? {
        let fields = list.compactMap(\.object)
        let names = fields.compactMap { $0["camera"]?.text }
        let sizes = fields.compactMap { fields in
            fields["width"]?.integer.flatMap { width in fields["fps"]?.number.map { (width: width, rate: $0) }
            }
        }
        guard names.count == list.count, sizes.count == list.count else { return nil }
        var previews: [PreviewRequest] = []
        for (camera, size) in zip(try cameras(names, atMost: maxCameras), sizes) {
            guard PreviewSet.widths.contains(size.width), PreviewSet.rates.contains(size.rate) else {
                throw PageError(.policy, "watch: width is \(PreviewSet.widths), fps \(PreviewSet.rates)")
            }
            previews.append(PreviewRequest(camera: camera, width: size.width, rate: size.rate))
        }
        return previews
    }

    private static func cameras(_ names: [String], atMost limit: Int) throws(PageError) -> [CameraAddress] {
        guard names.count <= limit else { throw PageError(.policy, "at most \(limit) cameras at once") }
        var cameras: [CameraAddress] = []
        for name in names {
            guard let camera = CameraAddress(name) else {
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
