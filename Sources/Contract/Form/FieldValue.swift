package import FoundationEssentials

/// A value that a field of a form can have.
package protocol FieldValue {
    /// Which values are allowed, and how they are written.
    associatedtype Rule

    static func read(_ json: JSON, _ rule: Rule, _ reading: Reading) throws(FormError) -> Self
    func write(_ rule: Rule, to json: inout JSONWriter)
    static func kind(_ rule: Rule) -> FieldKind
    /// Some value, which takes the place of one that could not be read.
    static var sample: Self { get }
    /// Whether `null` is one of its values.
    static var isNullable: Bool { get }
}

extension FieldValue {
    package static var isNullable: Bool { false }
}

/// What the value of a field can be.
package indirect enum FieldKind {
    case number(NumberRule)
    case integer(ClosedRange<Int>)
    case flag
    case onlyTrue
    case onlyFalse
    case text(TextRule)
    case time
    case words([String])
    case controlValue
    /// Nil where only its name is asked for.
    case object(FormDescription?)
    case list(FieldKind, count: ClosedRange<Int>, orOne: Bool)
    case map(FieldKind)
    case json
    case orNull(FieldKind)

    /// For "expected …".
    package var words: String {
        switch self {
        case .number(let rule): rule.words
        case .integer(let range) where range == Int.min...Int.max: "a whole number"
        case .integer(let range) where range.upperBound == .max: "a whole number from \(range.lowerBound)"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .flag, .onlyTrue, .onlyFalse: "true or false"
        case .text(let rule): rule.words
        case .time: "a time such as 2026-01-31T12:00:00Z"
        case .words(let words): "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
        case .controlValue: "a number, true or false"
        case .object: "an object"
        case .list(.text(let rule), let count, orOne: true):
            "a text, or a list of \(count.lowerBound) to \(count.upperBound) texts, each of 1 to \(rule.bytes)"
                + " bytes"
        case .list(let element, let count, _):
            (count.upperBound == .max ? "a list of " : "a list of at most \(count.upperBound) ")
                + element.plural
        case .map: "an object"
        case .json: "a value"
        case .orNull(let kind): "\(kind.words), or null"
        }
    }

    private var plural: String {
        switch self {
        case .number: "numbers"
        case .integer: "whole numbers"
        case .text, .time, .words: "texts"
        case .object, .map: "objects"
        case .flag, .onlyTrue, .onlyFalse, .controlValue, .list, .json, .orNull: "values"
        }
    }
}

// MARK: Numbers

package struct NumberRule: Sendable {
    package private(set) var least = -Double.infinity
    package private(set) var most = Double.infinity
    /// The least number is not allowed itself.
    package private(set) var isAbove = false
    /// It is written to a millionth, which is as precise as a controller can use.
    private(set) var isRounded = false

    package static let any = NumberRule()
    package static func above(_ bound: Double) -> Self { Self(least: bound, isAbove: true) }
    package static func from(_ least: Double) -> Self { Self(least: least) }
    package static func above(_ bound: Double, to most: Double) -> Self {
        Self(least: bound, most: most, isAbove: true)
    }
    package static func within(_ range: ClosedRange<Double>) -> Self {
        Self(least: range.lowerBound, most: range.upperBound)
    }

    package var rounded: Self {
        var rule = self
        rule.isRounded = true
        return rule
    }

    func allows(_ number: Double) -> Bool {
        (isAbove ? number > least : number >= least) && number <= most
    }

    fileprivate var words: String {
        if least == -.infinity { return "a number" }
        if isAbove { return "a number above \(least.shortText)" }
        return "a number from \(least.shortText)" + (most < .infinity ? " to \(most.shortText)" : "")
    }
}

extension Double: FieldValue {
    package static func read(
        _ json: JSON, _ rule: NumberRule, _ reading: Reading
    ) throws(FormError) -> Double {
        guard let number = json.number, reading == .lenient || rule.allows(number) else {
            throw .wrong(kind(rule), found: json.words)
        }
        return number
    }

    package func write(_ rule: NumberRule, to json: inout JSONWriter) {
        json.write(rule.isRounded ? forMessages : self)
    }

    package static func kind(_ rule: NumberRule) -> FieldKind { .number(rule) }
    package static var sample: Double { 1 }
}

package struct WholeRule: Sendable {
    let range: ClosedRange<Int>

    package static let any = WholeRule(range: .min ... .max)
    package static func from(_ least: Int) -> Self { Self(range: least...(.max)) }
    package static func within(_ range: ClosedRange<Int>) -> Self { Self(range: range) }
}

extension Int: FieldValue {
    /// 2.0 is a whole number too: some senders know no other.
    package static func read(_ json: JSON, _ rule: WholeRule, _ reading: Reading) throws(FormError) -> Int {
        let whole: Int? =
            if case .number(let number) = json { Int(exactly: number) } else { json.integer }
        guard let whole, rule.range.contains(whole) else { throw .wrong(kind(rule), found: json.words) }
        return whole
    }

    package func write(_ rule: WholeRule, to json: inout JSONWriter) { json.write(self) }
    package static func kind(_ rule: WholeRule) -> FieldKind { .integer(rule.range) }
    package static var sample: Int { 1 }
}

// MARK: Flags and words

package enum FlagRule: Sendable {
    case any, onlyTrue, onlyFalse
    /// A `check` of the form refuses `false`.
    case chosen
}

extension Bool: FieldValue {
    package static func read(_ json: JSON, _ rule: FlagRule, _ reading: Reading) throws(FormError) -> Bool {
        guard case .flag(let flag) = json else { throw .wrong(.flag, found: json.words) }
        switch (rule, flag) {
        case (.onlyTrue, false), (.onlyFalse, true):
            throw FormError(.here, "the only allowed value is \(!flag).")
        default: return flag
        }
    }

    package func write(_ rule: FlagRule, to json: inout JSONWriter) { json.write(self) }
    package static func kind(_ rule: FlagRule) -> FieldKind {
        switch rule {
        case .any: .flag
        case .onlyTrue, .chosen: .onlyTrue
        case .onlyFalse: .onlyFalse
        }
    }

    package static var sample: Bool { true }
}

/// One of a few words.
package protocol FieldWord: FieldValue, RawRepresentable<String>, CaseIterable {}

package struct WordRule<Word> {
    /// What an unknown word of a later version stands for; nil: it is an error.
    let other: Word?

    package static var any: Self { Self(other: nil) }
    package static func orElse(_ word: Word) -> Self { Self(other: word) }
}

extension FieldWord {
    package static func read(
        _ json: JSON, _ rule: WordRule<Self>, _ reading: Reading
    ) throws(FormError) -> Self {
        guard case .text(let text) = json, let word = Self(rawValue: text) ?? rule.other else {
            throw .wrong(kind(rule), found: json.words)
        }
        return word
    }

    package func write(_ rule: WordRule<Self>, to json: inout JSONWriter) { json.write(rawValue) }
    package static func kind(_ rule: WordRule<Self>) -> FieldKind { .words(allCases.map(\.rawValue)) }
    package static var sample: Self { allCases[allCases.startIndex] }
}

// MARK: Texts

package struct TextRule: Sendable {
    package enum Format: Sendable, Equatable {
        case any
        /// No control characters.
        case line
        /// The name of an agent, a camera or a group.
        case name
        /// The name of a photo or a recording.
        case fileName
        /// Any text, or a whole number, as its digits.
        case orNumber
        /// A time as agents write it: RFC 3339 in UTC with milliseconds.
        case stamp
        /// Digits of a hexadecimal number.
        case hexadecimal
        /// One of these, as far as this version knows.
        case words([String])
    }

    /// At most so many; 0: any number, also none.
    package let bytes: Int
    package var least = 1
    package let format: Format

    package static let any = TextRule(bytes: 0, format: .any)
    /// Not empty.
    package static let filled = TextRule(bytes: .max, format: .any)
    package static let stamp = TextRule(bytes: 0, format: .stamp)
    package static let fileName = TextRule(bytes: 255, format: .fileName)
    package static func within(_ bytes: ClosedRange<Int>, _ format: Format = .any) -> Self {
        Self(bytes: bytes.upperBound, least: bytes.lowerBound, format: format)
    }
    package static func oneOf(_ words: String...) -> Self { .words(words) }
    package static func words(_ words: [String]) -> Self { Self(bytes: 0, format: .words(words)) }
    package static func upTo(_ bytes: Int, _ format: Format = .any) -> Self {
        Self(bytes: bytes, format: format)
    }

    /// Whether a text has the right length.
    func fits(_ text: String) -> Bool { bytes == 0 || least...bytes ~= text.utf8.count }

    fileprivate var words: String { bytes == 0 ? "a text" : "a text of \(least) to \(bytes) bytes" }

    /// What is wrong with a text of the right length; nil: nothing.
    fileprivate func fault(_ text: String) -> String? {
        switch format {
        case .any, .orNumber, .words: nil
        case .stamp: Timestamp.date(text) == nil ? "a time is expected." : nil
        case .hexadecimal:
            text.allSatisfy { $0.isHexDigit && !$0.isUppercase } ? nil : "hexadecimal digits are expected."
        case .line:
            text.unicodeScalars.contains { $0.properties.generalCategory == .control }
                ? "control characters are not allowed in a name." : nil
        case .name: Topics.isName(text) ? nil : "1 to 64 of a-z, 0-9, _ and -."
        case .fileName:
            text.utf8.allSatisfy(\.isPartOfFileName) && !text.hasPrefix(".")
                ? nil : "a name of a photo or recording is expected, as in the list, without its folder."
        }
    }
}

extension String: FieldValue {
    package static func read(_ json: JSON, _ rule: TextRule, _ reading: Reading) throws(FormError) -> String {
        guard case .text(let text) = json else {
            if rule.format == .orNumber, case .integer(let number) = json { return String(number) }
            throw .wrong(kind(rule), found: json.words)
        }
        if reading == .lenient { return text }
        guard rule.fits(text) else {
            throw .wrong(kind(rule), found: "\(text.utf8.count) bytes")
        }
        if let fault = rule.fault(text) { throw FormError(.here, fault) }
        return text
    }

    package func write(_ rule: TextRule, to json: inout JSONWriter) { json.write(self) }
    package static func kind(_ rule: TextRule) -> FieldKind {
        if case .words(let words) = rule.format { .words(words) } else { .text(rule) }
    }

    package static var sample: String { "a" }
}

/// A time as RFC 3339 has it.
extension Date: FieldValue {
    package static func read(_ json: JSON, _ rule: AnyRule, _ reading: Reading) throws(FormError) -> Date {
        let text = try String.read(json, .upTo(64), reading)
        guard let date = Timestamp.date(text) else { throw .wrong(.time, found: "\"\(text)\"") }
        return date
    }

    package func write(_ rule: AnyRule, to json: inout JSONWriter) { json.write(Timestamp.text(self)) }
    package static func kind(_ rule: AnyRule) -> FieldKind { .time }
    package static var sample: Date { Date(timeIntervalSince1970: 0) }
}

// MARK: Values of several kinds

extension ControlValue: FieldValue {
    package static func read(
        _ json: JSON, _ rule: AnyRule, _ reading: Reading
    ) throws(FormError) -> ControlValue {
        switch json {
        case .flag(let flag): return .flag(flag)
        case .integer(let number): return .number(Double(number))
        case .number(let number): return .number(number)
        case .text(let text) where reading == .lenient: return .text(text)
        case .text, .null, .list, .object: throw .wrong(.controlValue, found: json.words)
        }
    }

    package func write(_ rule: AnyRule, to json: inout JSONWriter) {
        switch self {
        case .flag(let flag): json.write(flag)
        case .number(let number): json.write(number)
        case .text(let text): json.write(text)
        }
    }

    package static func kind(_ rule: AnyRule) -> FieldKind { .controlValue }
    package static var sample: ControlValue { .flag(true) }
}

/// A part whose fields are of no interest.
extension JSON: FieldValue {
    package static func read(_ json: JSON, _ rule: AnyRule, _ reading: Reading) -> JSON { json }
    package func write(_ rule: AnyRule, to json: inout JSONWriter) { json.write(self) }
    package static func kind(_ rule: AnyRule) -> FieldKind { .json }
    package static var sample: JSON { .null }
    package static var isNullable: Bool { true }
}

// MARK: Lists and maps

package struct ListRule<Each> {
    let count: ClosedRange<Int>
    let each: Each
    /// One element may come without a list.
    let orOne: Bool

    package static func each(_ each: Each) -> Self { Self(count: 0...(.max), each: each, orOne: false) }
    /// At least one.
    package static func some(_ each: Each) -> Self { Self(count: 1...(.max), each: each, orOne: false) }
    package static func upTo(_ most: Int, each: Each) -> Self {
        Self(count: 0...most, each: each, orOne: false)
    }
    /// A `check` of the form refuses an empty one.
    package static func some(upTo most: Int, each: Each) -> Self {
        Self(count: 1...most, each: each, orOne: false)
    }
    package static func oneOrList(of count: ClosedRange<Int>, each: Each) -> Self {
        Self(count: count, each: each, orOne: true)
    }
}

extension Array: FieldValue where Element: FieldValue {
    package static func read(
        _ json: JSON, _ rule: ListRule<Element.Rule>, _ reading: Reading
    ) throws(FormError) -> [Element] {
        guard case .list(let list) = json else {
            if rule.orOne { return [try Element.read(json, rule.each, reading)] }
            throw .wrong(kind(rule), found: json.words)
        }
        guard list.count <= rule.count.upperBound, !rule.orOne || rule.count.contains(list.count) else {
            throw .wrong(kind(rule), found: "\(list.count)")
        }
        var elements: [Element] = []
        elements.reserveCapacity(list.count)
        for (place, element) in list.enumerated() {
            do throws(FormError) { elements.append(try Element.read(element, rule.each, reading)) } catch {
                if error.place == .here { throw .wrong(kind(rule), found: element.words) }
                throw error.inside("\(place)")
            }
        }
        return elements
    }

    package func write(_ rule: ListRule<Element.Rule>, to json: inout JSONWriter) {
        json.bracket("[")
        for element in self {
            json.separate()
            element.write(rule.each, to: &json)
        }
        json.bracket("]")
    }

    package static func kind(_ rule: ListRule<Element.Rule>) -> FieldKind {
        .list(Element.kind(rule.each), count: rule.count, orOne: rule.orOne)
    }

    package static var sample: [Element] { [] }
}

package struct MapRule<Each> {
    let each: Each
    /// Values that can't be read are left out; otherwise one of them is an error.
    let isPartial: Bool

    package static func each(_ each: Each) -> Self { Self(each: each, isPartial: false) }
    package static func readable(_ each: Each) -> Self { Self(each: each, isPartial: true) }
}

/// Values by name. They are written in the order of their names.
extension Dictionary: FieldValue where Key == String, Value: FieldValue {
    package static func read(
        _ json: JSON, _ rule: MapRule<Value.Rule>, _ reading: Reading
    ) throws(FormError) -> [String: Value] {
        guard case .object(let object) = json else { throw .wrong(kind(rule), found: json.words) }
        var values: [String: Value] = [:]
        for member in object.members {
            do throws(FormError) {
                values[member.name] = try Value.read(member.value, rule.each, reading)
            } catch {
                if !rule.isPartial { throw error.inside(member.name.beginning(64)) }
            }
        }
        return values
    }

    package func write(_ rule: MapRule<Value.Rule>, to json: inout JSONWriter) {
        json.bracket("{")
        for (name, value) in sorted(by: { $0.key < $1.key }) {
            json.key(name)
            value.write(rule.each, to: &json)
        }
        json.bracket("}")
    }

    package static func kind(_ rule: MapRule<Value.Rule>) -> FieldKind { .map(Value.kind(rule.each)) }
    package static var sample: [String: Value] { [:] }
}

/// A value, or `null`, where the field itself has to be there.
extension Optional: FieldValue where Wrapped: FieldValue {
    package static func read(
        _ json: JSON, _ rule: Wrapped.Rule, _ reading: Reading
    ) throws(FormError) -> Wrapped? {
        if case .null = json { nil } else { try Wrapped.read(json, rule, reading) }
    }

    package func write(_ rule: Wrapped.Rule, to json: inout JSONWriter) {
        if let self { self.write(rule, to: &json) } else { json.writeNull() }
    }

    package static func kind(_ rule: Wrapped.Rule) -> FieldKind { .orNull(Wrapped.kind(rule)) }
    package static var sample: Wrapped? { nil }
    package static var isNullable: Bool { true }
}
