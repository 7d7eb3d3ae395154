/// The fields of a JSON object as forms read them. The first error stays, and nothing is read after it.
///
/// Errors come in this order: a value that is wrong, a field that the forms do not name, a field that is
/// missing or does not go with another.
struct FieldReader {
    private let object: JSONObject
    private let reading: Reading
    /// The object is the value of a field.
    private let isInside: Bool
    /// Which members were read: a bit for each of the first 64, which are all of a command; and later ones.
    private var read: UInt64 = 0
    private var later: Set<Int> = []
    /// How many members were not read.
    private var rest: Int
    /// Nil: there is no error yet.
    private var failure: Failure?

    /// A class: copies of the reader share one pointer.
    private final class Failure {
        var error: FormError?
        var lateError: FormError?
    }

    private(set) var error: FormError? {
        get { failure?.error }
        set {
            failure = failure ?? Failure()
            failure?.error = newValue
        }
    }

    private var lateError: FormError? {
        get { failure?.lateError }
        set {
            failure = failure ?? Failure()
            failure?.lateError = newValue
        }
    }

    private var hasFailed: Bool { failure.map { $0.error != nil } ?? false }

    init(_ object: JSONObject, _ reading: Reading, isInside: Bool = false) {
        (self.object, self.reading, self.isInside, rest) = (object, reading, isInside, object.count)
    }

    /// For a form with a sample of each required field.
    static var ofSample: FieldReader {
        var fields = FieldReader(JSONObject(), .lenient)
        fields.error = FormError(.none, "")
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
        if let failure, let error = failure.error { throw error }
        if rest > 0, reading == .strict, let name = unread.first {
            throw FormError(.field(name.beginning(64)), "unknown field.")
        }
        if let failure, let error = failure.lateError { throw error }
    }

    func endCommand() throws(CommandError) {
        do throws(FormError) { try end() } catch { throw error.asCommandError }
    }

    /// The names of the members that were not read.
    private var unread: [String] {
        object.members.indices.filter { !isRead($0) }.map { object.members[$0].name }
    }

    private func isRead(_ place: Int) -> Bool {
        place < UInt64.bitWidth ? read & 1 << place != 0 : later.contains(place)
    }

    subscript(name: String) -> JSON? { object[name] }

    func has(_ name: String) -> Bool { object.place(of: name) != nil }

    /// The first of these fields that is there.
    func first(of names: [String]) -> String? {
        for name in names where has(name) { return name }
        return nil
    }

    // MARK: Values

    /// The value of a member; nil: it is absent or wrong. Compiled once for each type of values.
    @inline(never)
    mutating func value<Value: FieldValue>(_ name: String, _ rule: Value.Rule) -> Value? {
        // Most commands have few of the fields that they may have.
        guard rest > 0, !hasFailed, let place = object.place(of: name) else { return nil }
        if !isRead(place) {
            if place < UInt64.bitWidth { read |= 1 << place } else { later.insert(place) }
            rest -= 1
        }
        let json = object.members[place].value
        if reading == .lenient, case .null = json, !Value.isNullable { return nil }
        do throws(FormError) { return try Value.read(json, rule, reading) } catch {
            self.error = error.inside(name.beginning(64))
            return nil
        }
    }

    @inline(never)
    mutating func required<Value: FieldValue>(_ name: String, _ rule: Value.Rule, _ missing: String) -> Value
    {
        if let value: Value = value(name, rule) { return value }
        failLate(.field(name), missing)
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
    mutating func maybeGroup<Group: Form>(_ type: Group.Type) -> Group? {
        let (late, before) = (lateError, rest)
        let group = read(type)
        if rest < before { return group }
        if failure != nil { lateError = late }
        return nil
    }

    // MARK: Rules

    mutating func failLate(_ place: FormError.Place, _ message: String) {
        if lateError == nil { lateError = FormError(place, message) }
    }

    /// - Parameter names: of the options.
    mutating func failChoice(_ count: Int, _ names: [String]) {
        let list = names.inWords("and")
        if count == 0, isInside { return failLate(.here, "one of \(list) is required.") }
        failLate(.none, "Send exactly one of \(list); found \(count).")
    }

    /// Whether a rule for several fields counts here. Agents of other versions may have others.
    func isTrue(_ condition: FieldCondition) -> Bool {
        guard reading == .strict else { return false }
        return switch condition {
        case .given(let name): has(name)
        case .without(let names): first(of: names) == nil
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

    mutating func maybeGroup<Group: Form>(_ get: (Subject) -> Group?) -> Group? {
        fields.maybeGroup(Group.self)
    }

    mutating func maybeGroup<Group: Form>(having names: [String], _ get: (Subject) -> Group?) -> Group? {
        fields.first(of: names) == nil ? nil : fields.read(Group.self)
    }

    mutating func others<Value: FieldValue>(
        _ get: (Subject) -> [String: Value], _ rule: Value.Rule, _ sentence: String
    ) -> [String: Value] {
        fields.others(rule)
    }

    mutating func unread(_ name: String) -> JSON? { fields[name] }

    @inline(__always)
    mutating func choose(count: Int, _ message: String?) {
        if count != 1 { fail(count, message) }
    }

    @inline(never)
    private mutating func fail(_ count: Int, _ message: String?) {
        guard fields.error == nil else { return }
        if let message { return fields.failLate(.none, message) }
        fields.failChoice(count, Subject.description.options)
    }

    @inline(__always)
    mutating func refuse(
        _ names: [String], if isGiven: Bool, when condition: FieldCondition,
        _ message: @autoclosure () -> String
    ) {
        if isGiven, let name = fields.first(of: names), fields.isTrue(condition) {
            fields.failLate(.field(name), message())
        }
    }

    mutating func demand(_ name: String, when condition: FieldCondition, _ message: String) {
        if !fields.has(name), fields.isTrue(condition) { fields.failLate(.field(name), message) }
    }

    mutating func demand(someOf names: [String], field: String?, _ message: String) {
        if fields.isTrue(.without(names)) {
            fields.failLate(field.map { .field($0) } ?? .none, message)
        }
    }

    mutating func check(_ isRight: Bool, _ field: String?, _ message: @autoclosure () -> String) {
        if !isRight { fields.failLate(field.map { .field($0) } ?? .none, message()) }
    }
}
