internal import Contract

/// The type of a key's values: how they are written, read and rendered.
struct ValueType<Value: Sendable>: Sendable {
    /// Completes "expected …".
    let expected: String
    /// Whether a variable or a flag has the text itself. Otherwise it has YAML, such as `[a, b]`.
    var isScalar = false
    let read: @Sendable (YAMLNode) throws(ValueError) -> Value
    /// The value as YAML that reads as the same value. Nil: there is none.
    let render: @Sendable (Value) -> String?
    /// Set if the value is the path of a file that must be readable.
    var fileUse: FileUse?
}

/// What is wrong with a node. It may be an element of the key's value.
struct ValueError: Error {
    let node: YAMLNode
    let message: String

    init(_ node: YAMLNode, _ message: String) { (self.node, self.message) = (node, message) }

    init(_ node: YAMLNode, expected: String) { self.init(node, "expected \(expected), found \(node.found)") }
}

extension ValueType {
    /// A type whose values are one word or number.
    init(
        _ expected: String, render: @escaping @Sendable (Value) -> String,
        takesQuotes: Bool = false, scalar: @escaping @Sendable (String) -> Value?
    ) {
        self.init(
            expected: expected, isScalar: true,
            read: { node throws(ValueError) in
                guard case .scalar(let text, let style) = node.content, !node.isNothing,
                    takesQuotes || style != .quoted, let value = scalar(text)
                else { throw ValueError(node, expected: expected) }
                return value
            }, render: { render($0) })
    }

    /// A list of values.
    ///
    /// - Parameters:
    ///   - once: completes "expected …" for a value that is there twice; nil: it may be.
    ///   - orOne: one value may stand alone.
    static func list<Element: Equatable>(
        _ expected: String, atMost limit: Int = .max, each once: String? = nil, orOne: Bool = false,
        _ element: ValueType<Element>
    ) -> ValueType where Value == [Element] {
        ValueType(
            expected: expected,
            read: { node throws(ValueError) in
                guard case .list(let elements) = node.content, elements.count <= limit else {
                    if orOne { return [try element.read(node)] }
                    throw ValueError(node, expected: expected)
                }
                var values: [Element] = []
                for node in elements {
                    let value = try element.read(node)
                    if let once, values.contains(value) { throw ValueError(node, expected: once) }
                    values.append(value)
                }
                return values
            },
            render: { values in
                let texts = values.compactMap(element.render)
                return orOne && texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
            })
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
            read: { node throws(ValueError) in transform(try read(node)) },
            render: { back($0).flatMap(render) }, fileUse: fileUse)
    }

    /// The same values, but those for which there are words that complete "expected …".
    func checked(_ problem: @escaping @Sendable (Value) -> String?) -> ValueType {
        ValueType(
            expected: expected, isScalar: isScalar,
            read: { node throws(ValueError) in
                let value = try read(node)
                if let words = problem(value) { throw ValueError(node, expected: words) }
                return value
            }, render: render, fileUse: fileUse)
    }

    /// Fields in braces.
    ///
    /// - Parameters:
    ///   - blank: a value whose fields have their defaults, which are not rendered.
    ///   - names: completes "expected …" for another field.
    ///   - isShown: whether the error has that field.
    static func record(
        _ blank: Value, _ expected: String, fields names: String, isShown: Bool
    ) -> ValueType where Value: Keyed {
        let fields = Keys.described(blank)
        return ValueType(
            expected: expected,
            read: { node throws(ValueError) in
                guard case .map(let entries) = node.content else {
                    throw ValueError(node, expected: expected)
                }
                var values: [String: any Sendable] = [:]
                for entry in entries {
                    guard let field = fields.first(where: { $0.path == entry.key }) else {
                        let name = YAMLNode(content: .scalar(entry.key, .plain), origin: entry.keyOrigin)
                        throw ValueError(isShown ? name : node, expected: names)
                    }
                    values[field.path] = try field.read(entry.value)
                }
                let (value, visitor) = Keys.filled(blank, fields, fields.map { values[$0.path] })
                if let problem = visitor.problems.first { throw ValueError(node, expected: problem.message) }
                return value
            },
            render: { value in
                let texts = Keys.filled(value, fields, fields.map { _ in nil }).visitor.texts
                let parts = zip(fields, texts).compactMap { field, text in
                    text == field.defaultText ? nil : text.map { "\(field.path): \($0)" }
                }
                return "{ \(parts.joined(separator: ", ")) }"
            })
    }
}

extension ValueType where Value == Int {
    static func whole(_ range: ClosedRange<Int>, multipleOf step: Int = 1) -> ValueType {
        let name = step == 2 ? "an even number" : "a whole number"
        return ValueType("\(name) from \(range.lowerBound) to \(range.upperBound)", render: { "\($0)" }) {
            wholeNumber($0).flatMap { range.contains($0) && $0 % step == 0 ? $0 : nil }
        }
    }

    /// A number of bytes, as `500M`: K, M, G and T are powers of 1,024.
    static func bytes(_ range: ClosedRange<Int>) -> ValueType {
        let bounds = "\(byteText(range.lowerBound)) to \(byteText(range.upperBound))"
        return ValueType("a size from \(bounds), such as 500M or 2G", render: byteText, takesQuotes: true) {
            text in
            let shift = byteUnits.first { $0.suffix == text.last?.uppercased() }?.shift
            guard let count = wholeNumber(shift == nil ? text[...] : text.dropLast()) else { return nil }
            let (value, overflow) = count.multipliedReportingOverflow(by: 1 << (shift ?? 0))
            return !overflow && range.contains(value) ? value : nil
        }
    }
}

extension ValueType where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> ValueType {
        let bounds = "\(range.lowerBound.shortText) to \(range.upperBound.shortText)"
        return ValueType("a number from \(bounds)", render: \.shortText) { text in
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
        let number = ValueType<Double>.number(0...range.upperBound)
        return ValueType("0, or \(ValueType<Double>.number(range).expected)", render: { ($0 ?? 0).shortText })
        {
            let node = YAMLNode(content: .scalar($0, .bare), origin: .defaultValue)
            guard let value = try? number.read(node), value == 0 || range.contains(value) else { return nil }
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
        ValueType("true or false", render: { "\($0)" }) { Bool($0.lowercased()) }
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
    text.utf8.allSatisfy { "-0123456789".utf8.contains($0) } ? Int(text) : nil
}

private let byteUnits = [("T", 40), ("G", 30), ("M", 20), ("K", 10)].map { (suffix: $0.0, shift: $0.1) }

/// The shortest way to write a number of bytes.
func byteText(_ bytes: Int) -> String {
    let unit = byteUnits.first { bytes != 0 && bytes % (1 << $0.shift) == 0 }
    return unit.map { "\(bytes >> $0.shift)\($0.suffix)" } ?? "\(bytes)"
}
