/// The fields of a JSON object as forms read them. The first error stays, and nothing is read after it.
///
/// Errors come in this order: a value that is wrong, a field that the forms do not name, a field that is
/// missing or does not go with another.
struct FieldReader {
    private let object: JSONObject
    private let reading: Reading
    /// The object is the value of a field.
    private let isInside: Bool
    /// Which members were read: a bit for each of the first 64. A command has no more.
    private var read: UInt64 = 0
    /// How many members were not read.
    private var rest: Int
    private(set) var error: FormError?
    private var lateError: FormError?

    init(_ object: JSONObject, _ reading: Reading, isInside: Bool = false) {
        (self.object, self.reading, self.isInside, rest) = (object, reading, isInside, object.count)
    }

    /// For a form with a sample of each required field.
    static var ofSample: FieldReader {
        var fields = FieldReader(JSONObject(), .lenient)
        fields.error = FormError(nil, "")
        return fields
    }

    /// Reads a form from the object. Another one may follow.
    mutating func read<Subject: Form>(_ type: Subject.Type) -> Subject {
        var reader = FormReader<Subject>(fields: self)
        let form = Subject(&reader)
        self = reader.fields
        return form
    }

    /// - Throws: the first error, also of a field that no form has named.
    func end() throws(FormError) {
        if let error { throw error }
        if rest > 0, reading == .strict, let name = unread.first {
            throw FormError(name.beginning(64), "unknown field.")
        }
        if let lateError { throw lateError }
    }

    /// The names of the members that were not read.
    private var unread: [String] {
        object.members.indices.filter { read & 1 << $0 == 0 }.map { object.members[$0].name }
    }

    subscript(name: String) -> JSON? { object[name] }

    // MARK: Values

    /// The value of a member; nil: it is absent or wrong. Compiled once for each type of values.
    @inline(never)
    mutating func value<Value: FieldValue>(_ name: String, _ rule: Value.Rule) -> Value? {
        // Most commands have few of the fields that they may have.
        guard rest > 0, error == nil, let place = object.place(of: name) else { return nil }
        let bit: UInt64 = 1 << place
        if read & bit == 0 {
            read |= bit
            rest -= 1
        }
        let json = object.members[place].value
        if reading == .lenient, case .null = json, !Value.isNullable { return nil }
        do throws(FormError) { return try Value.read(json, rule, reading) } catch {
            self.error = error.inside(name)
            return nil
        }
    }

    @inline(never)
    mutating func required<Value: FieldValue>(_ name: String, _ rule: Value.Rule, _ missing: String) -> Value
    {
        if let value: Value = value(name, rule) { return value }
        failLate(name, missing)
        return Value.sample
    }

    @inline(never)
    mutating func others<Value: FieldValue>(_ rule: Value.Rule) -> [String: Value] {
        var values: [String: Value] = [:]
        for name in unread { values[name] = value(name, rule) }
        return values
    }

    // MARK: Groups

    /// Reads a form if one of its fields is there.
    mutating func option<Group: Form>(_ type: Group.Type) -> Group? {
        let (late, before) = (lateError, rest)
        let group = read(type)
        if rest < before { return group }
        lateError = late
        return nil
    }

    // MARK: Rules

    mutating func failLate(_ field: String?, _ message: String) {
        if lateError == nil { lateError = FormError(field, message) }
    }

    /// - Parameter names: of the options.
    mutating func failChoice(_ count: Int, _ names: [String], _ note: String?) {
        guard error == nil else { return }
        let list = names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
        if count == 0, isInside, note == nil { return failLate("", "one of \(list) is required.") }
        failLate(nil, "Send exactly one of \(list)\(note ?? "; found \(count)").")
    }

    /// Whether a rule for several fields counts here. Agents of other versions may have others.
    func isTrue(_ condition: FieldCondition) -> Bool {
        guard reading == .strict else { return false }
        return switch condition {
        case .given(let name): object[name] != nil
        case .without(let names): names.allSatisfy { object[$0] == nil }
        case .equal(let name, let value): object[name] == value
        case .unequal(let name, let value): object[name] != value
        }
    }
}

/// Reads a form.
struct FormReader<Subject: Form>: FormVisitor {
    var fields: FieldReader

    @inline(__always)
    mutating func required<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, missing: String, _ sentence: String
    ) -> Value {
        fields.required(name, rule, missing)
    }

    @inline(__always)
    mutating func usual<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, _ usual: Value, words: String?,
        _ sentence: String
    ) -> Value {
        fields.value(name, rule) ?? usual
    }

    @inline(__always)
    mutating func optional<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, isOption: Bool, _ sentence: String
    ) -> Value? {
        fields.value(name, rule)
    }

    mutating func group<Group: Form>(_ get: (Subject) -> Group) -> Group { fields.read(Group.self) }

    mutating func option<Group: Form>(_ get: (Subject) -> Group?) -> Group? { fields.option(Group.self) }

    mutating func option<Group: Form>(having names: [String], _ get: (Subject) -> Group?) -> Group? {
        names.contains { fields[$0] != nil } ? fields.read(Group.self) : nil
    }

    mutating func others<Value: FieldValue>(
        _ get: (Subject) -> [String: Value], _ rule: Value.Rule, _ sentence: String
    ) -> [String: Value] {
        fields.others(rule)
    }

    mutating func unread(_ name: String) -> JSON? { fields[name] }

    @inline(__always)
    mutating func choose(count: Int, note: String?) {
        if count != 1 { fields.failChoice(count, Subject.description.options, note) }
    }

    mutating func refuse(_ names: [String], when condition: FieldCondition, _ message: String) {
        guard let name = names.first(where: { fields[$0] != nil }), fields.isTrue(condition) else { return }
        fields.failLate(name, message)
    }

    mutating func demand(_ name: String, when condition: FieldCondition, _ message: String) {
        if fields[name] == nil, fields.isTrue(condition) { fields.failLate(name, message) }
    }

    mutating func demand(someOf names: [String], field: String?, _ message: String) {
        if fields.isTrue(.without(names)) { fields.failLate(field, message) }
    }

    mutating func check(_ isRight: Bool, _ field: String?, _ message: @autoclosure () -> String) {
        if !isRight { fields.failLate(field, message()) }
    }
}
