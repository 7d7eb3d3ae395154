/// What values a key takes: how they are written, read and shown.
struct Kind<Value: Sendable>: Sendable {
    /// Completes "expected …".
    let expected: String
    let shape: KindShape
    let read: @Sendable (Node) throws(Misread) -> Value
    /// The value as YAML that reads as the same value; nil when there is none.
    let render: @Sendable (Value) -> String?
}

/// How a value is written where there are no lines: in a variable or a flag.
enum KindShape: Sendable {
    /// The text itself.
    case scalar
    /// YAML such as `[a, b]`; single elements have paths of their own.
    case list
    /// YAML such as `{ v4l2: /dev/video0 }`.
    case tree
}

/// A node that isn't what its key takes; the node may be an element of the key's value.
struct Misread: Error {
    let node: Node
    let expected: String

    var message: String { "expected \(expected), found \(node.found)" }
}

extension Kind {
    /// A kind that is one word or number.
    init(
        _ expected: String, render: @escaping @Sendable (Value) -> String,
        takesQuotes: Bool = false, scalar: @escaping @Sendable (String) -> Value?
    ) {
        self.expected = expected
        self.shape = .scalar
        self.render = { render($0) }
        self.read = { node throws(Misread) in
            guard case .scalar(let text, let style) = node.content, !node.isNothing,
                takesQuotes || style != .quoted, let value = scalar(text)
            else { throw Misread(node: node, expected: expected) }
            return value
        }
    }

    /// The same values, or none.
    var optional: Kind<Value?> {
        Kind<Value?>(
            expected: expected, shape: shape,
            read: { node throws(Misread) in try read(node) },
            render: { value in value.flatMap { render($0) } })
    }
}

extension Kind where Value == Int {
    static func whole(_ range: ClosedRange<Int>, multipleOf step: Int = 1) -> Kind {
        let name = step == 2 ? "an even number" : "a whole number"
        return Kind("\(name) from \(range.lowerBound) to \(range.upperBound)", render: { "\($0)" }) { text in
            guard let value = wholeNumber(text), range.contains(value), value % step == 0 else { return nil }
            return value
        }
    }

    /// A number of bytes, as `500M`: K, M, G and T are powers of 1,024.
    static func bytes(_ range: ClosedRange<Int>) -> Kind {
        Kind(
            "a size from \(byteText(range.lowerBound)) to \(byteText(range.upperBound)), such as 500M or 2G",
            render: byteText
        ) { text in
            let power = text.last.flatMap { "KMGT".firstIndex(of: Character($0.uppercased())) }
            let digits = power == nil ? text[...] : text.dropLast()
            let shift = power.map { ("KMGT".distance(from: "KMGT".startIndex, to: $0) + 1) * 10 } ?? 0
            guard let count = wholeNumber(digits) else { return nil }
            let (value, overflow) = count.multipliedReportingOverflow(by: 1 << shift)
            return !overflow && range.contains(value) ? value : nil
        }
    }
}

extension Kind where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> Kind {
        Kind(
            "a number from \(numberText(range.lowerBound)) to \(numberText(range.upperBound))",
            render: numberText
        ) { text in
            guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let value = Double(text),
                range.contains(value)
            else { return nil }
            return value
        }
    }
}

extension Kind where Value == Bool {
    static var truth: Kind {
        Kind("true or false", render: { $0 ? "true" : "false" }) { text in
            ["true": true, "false": false][text.lowercased()]
        }
    }
}

extension Kind where Value: CaseIterable & RawRepresentable<String> {
    /// One of the words of an enumeration.
    static var choice: Kind {
        let words = Value.allCases.map(\.rawValue)
        let expected = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return Kind(expected, render: { yamlText($0.rawValue) }, takesQuotes: true) { Value(rawValue: $0) }
    }
}

private func wholeNumber(_ text: some StringProtocol) -> Int? {
    guard text.utf8.allSatisfy({ "-0123456789".utf8.contains($0) }) else { return nil }
    return Int(text)
}

/// The shortest way to write a number of bytes.
private func byteText(_ bytes: Int) -> String {
    for (suffix, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)]
    where bytes != 0 && bytes % (1 << shift) == 0 {
        return "\(bytes >> shift)\(suffix)"
    }
    return "\(bytes)"
}

private func numberText(_ value: Double) -> String {
    Int(exactly: value).map { "\($0)" } ?? "\(value)"
}
