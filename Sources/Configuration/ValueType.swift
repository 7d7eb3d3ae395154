internal import Contract

/// The type of a key's values: how they are written, read and rendered.
struct ValueType<Value: Sendable>: Sendable {
    /// Completes "expected …".
    let expected: String
    /// Whether a variable or a flag has the text itself. Otherwise it has YAML, such as `[a, b]`.
    var isScalar = false
    let read: @Sendable (YAMLNode) throws(TypeMismatch) -> Value
    /// The value as YAML that reads as the same value. Nil: there is none.
    let render: @Sendable (Value) -> String?
    /// Set if the value is the path of a file that must be readable.
    var fileUse: FileUse?
}

/// A node that isn't a value of the expected type. It may be an element of the key's value.
struct TypeMismatch: Error {
    let node: YAMLNode
    let expected: String

    var message: String { "expected \(expected), found \(node.found)" }
}

extension ValueType {
    /// A type whose values are one word or number.
    init(
        _ expected: String, render: @escaping @Sendable (Value) -> String,
        takesQuotes: Bool = false, scalar: @escaping @Sendable (String) -> Value?
    ) {
        self.expected = expected
        isScalar = true
        self.render = { render($0) }
        self.read = { node throws(TypeMismatch) in
            guard case .scalar(let text, let style) = node.content, !node.isNothing,
                takesQuotes || style != .quoted, let value = scalar(text)
            else { throw TypeMismatch(node: node, expected: expected) }
            return value
        }
    }

    /// A list of values.
    ///
    /// - Parameter once: completes "expected …" for a value that is there twice; nil: it may be.
    static func list<Element: Equatable>(
        _ expected: String, atMost limit: Int = .max, each once: String? = nil,
        render: @escaping @Sendable (Element) -> String,
        read: @escaping @Sendable (YAMLNode) throws(TypeMismatch) -> Element
    ) -> ValueType where Value == [Element] {
        ValueType(
            expected: expected,
            read: { node throws(TypeMismatch) in
                guard case .list(let elements) = node.content, elements.count <= limit else {
                    throw TypeMismatch(node: node, expected: expected)
                }
                var values: [Element] = []
                for element in elements {
                    let value = try read(element)
                    if let once, values.contains(value) { throw TypeMismatch(node: element, expected: once) }
                    values.append(value)
                }
                return values
            },
            render: { "[\($0.map(render).joined(separator: ", "))]" })
    }

    /// The same values, or none.
    static func optional<Wrapped>(_ type: ValueType<Wrapped>) -> ValueType where Value == Wrapped? {
        type.map({ $0 }, back: { $0 })
    }

    /// Other values that are written in the same way; none for those that `back` has none for.
    func map<Other>(
        _ transform: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value?
    ) -> ValueType<Other> {
        ValueType<Other>(
            expected: expected, isScalar: isScalar,
            read: { node throws(TypeMismatch) in transform(try read(node)) },
            render: { back($0).flatMap(render) }, fileUse: fileUse)
    }
}

extension ValueType where Value == Int {
    static func whole(_ range: ClosedRange<Int>, multipleOf step: Int = 1) -> ValueType {
        let name = step == 2 ? "an even number" : "a whole number"
        return ValueType("\(name) from \(range.lowerBound) to \(range.upperBound)", render: { "\($0)" }) {
            text in
            guard let value = wholeNumber(text), range.contains(value), value % step == 0 else { return nil }
            return value
        }
    }

    /// A number of bytes, as `500M`: K, M, G and T are powers of 1,024.
    static func bytes(_ range: ClosedRange<Int>) -> ValueType {
        ValueType(
            "a size from \(byteText(range.lowerBound)) to \(byteText(range.upperBound)), such as 500M or 2G",
            render: byteText, takesQuotes: true
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

extension ValueType where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> ValueType {
        ValueType(
            "a number from \(range.lowerBound.shortText) to \(range.upperBound.shortText)",
            render: \.shortText
        ) { text in
            guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let value = Double(text),
                range.contains(value)
            else { return nil }
            return value
        }
    }
}

extension ValueType where Value == Double? {
    /// A number. 0 stands for nil.
    static func numberOrZero(_ range: ClosedRange<Double>) -> ValueType {
        let zeroOrMore = ValueType<Double>.number(0...range.upperBound)
        let expected = "0, or \(ValueType<Double>.number(range).expected)"
        return ValueType(expected, render: { ($0 ?? 0).shortText }) { text in
            let node = YAMLNode(content: .scalar(text, .bare), origin: .defaultValue)
            guard let value = try? zeroOrMore.read(node), value == 0 || range.contains(value) else {
                return nil
            }
            return .some(value == 0 ? nil : value)
        }
    }
}

extension ValueType where Value == Duration {
    /// A whole number of milliseconds.
    static func milliseconds(_ range: ClosedRange<Int>) -> ValueType {
        ValueType<Int>.whole(range).map({ .milliseconds($0) }, back: { Int($0 / .milliseconds(1)) })
    }
}

extension ValueType where Value == Duration? {
    /// A whole number of milliseconds. 0 stands for nil.
    static func millisecondsOrZero(_ range: ClosedRange<Int>) -> ValueType {
        ValueType<Duration>.milliseconds(range).map({ $0 > .zero ? $0 : nil }, back: { $0 ?? .zero })
    }
}

extension ValueType where Value == Bool {
    static var boolean: ValueType {
        ValueType("true or false", render: { $0 ? "true" : "false" }) { text in
            ["true": true, "false": false][text.lowercased()]
        }
    }
}

extension ValueType where Value: CaseIterable & RawRepresentable<String> {
    /// One of the words of an enumeration.
    static var choice: ValueType {
        let words = Value.allCases.map(\.rawValue)
        let expected = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return ValueType(expected, render: { yamlText($0.rawValue) }, takesQuotes: true) {
            Value(rawValue: $0)
        }
    }
}

private func wholeNumber(_ text: some StringProtocol) -> Int? {
    guard text.utf8.allSatisfy({ "-0123456789".utf8.contains($0) }) else { return nil }
    return Int(text)
}

/// The shortest way to write a number of bytes.
func byteText(_ bytes: Int) -> String {
    for (suffix, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)]
    where bytes != 0 && bytes % (1 << shift) == 0 {
        return "\(bytes >> shift)\(suffix)"
    }
    return "\(bytes)"
}
