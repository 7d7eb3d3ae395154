/// Goes through the declaration of a form, field by field. `get` reads the property; only a writer calls it.
package protocol FormVisitor<Subject> {
    associatedtype Subject: Form

    /// - Parameters:
    ///   - missing: the error where the field is absent.
    ///   - sentence: what the field is, for documents.
    mutating func required<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, missing: String, _ sentence: String
    ) -> Value

    /// - Parameters:
    ///   - usual: the value where the field is absent.
    ///   - words: what documents say about the default; nil: the value.
    mutating func usual<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, _ usual: Value, words: String?,
        _ sentence: String
    ) -> Value

    /// - Parameter isOption: ``one(_:_:)`` follows, which demands exactly one of the options.
    mutating func optional<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, isOption: Bool, _ sentence: String
    ) -> Value?

    /// The fields of another form, in the same object.
    mutating func group<Group: Form>(_ get: (Subject) -> Group) -> Group

    /// The fields of another form in the same object; nil: none of them is there.
    mutating func option<Group: Form>(_ get: (Subject) -> Group?) -> Group?

    /// The fields of another form in the same object, if one of these fields is there. What is declared after
    /// it is only for objects without these.
    mutating func option<Group: Form>(
        having names: [String], _ get: (Subject) -> Group?
    ) -> Group?

    /// All fields that were not named before, with any names.
    mutating func others<Value: FieldValue>(
        _ get: (Subject) -> [String: Value], _ rule: Value.Rule, _ sentence: String
    ) -> [String: Value]

    /// Its JSON; nil: absent, or nothing is read.
    mutating func unread(_ name: String) -> JSON?

    // MARK: Rules for several fields

    /// Demands exactly one of the options before.
    ///
    /// - Parameters:
    ///   - count: of the options that are there.
    ///   - message: the error; nil: it names the options and has the count.
    mutating func choose(count: Int, _ message: String?)

    /// Refuses each of these fields under a condition, with a message.
    ///
    /// - Parameter isGiven: false where the caller knows that none of them is there.
    mutating func refuse(
        _ names: [String], if isGiven: Bool, when condition: FieldCondition,
        _ message: @autoclosure () -> String)

    /// Demands a field under a condition.
    mutating func demand(_ name: String, when condition: FieldCondition, _ message: String)

    /// Demands at least one of these fields.
    ///
    /// - Parameter field: the one that the error names; nil: none.
    mutating func demand(someOf names: [String], field: String?, _ message: String)

    /// A rule that only code can say.
    mutating func check(_ isRight: Bool, _ field: String?, _ message: @autoclosure () -> String)
}

/// Which objects a rule is for.
package enum FieldCondition: Sendable {
    case given(String)
    /// None of these fields is there.
    case without([String])
    case equal(String, JSON)
    /// The field is absent or has another value.
    case unequal(String, JSON)
}

extension FormVisitor {
    /// A field that has to be there.
    @inline(__always)
    package mutating func callAsFunction<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, _ sentence: String,
        missing: String = "required."
    ) -> Value {
        required(name, get, rule, missing: missing, sentence)
    }

    /// A field with a default.
    @inline(__always)
    package mutating func callAsFunction<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, default value: Value,
        as words: String? = nil, _ sentence: String
    ) -> Value {
        usual(name, get, rule, value, words: words, sentence)
    }

    /// A field that may be absent.
    @inline(__always)
    package mutating func maybe<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, _ sentence: String
    ) -> Value? {
        optional(name, get, rule, isOption: false, sentence)
    }

    /// A field that has to be there, except from an agent of an earlier version.
    @inline(__always)
    package mutating func newer<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, _ sentence: String
    ) -> Value? {
        let value = optional(name, get, rule, isOption: false, sentence)
        demand(someOf: [name], field: name, "required.")
        return value
    }

    /// One of the fields of which exactly one has to be there.
    @inline(__always)
    package mutating func option<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, _ sentence: String
    ) -> Value? {
        optional(name, get, rule, isOption: true, sentence)
    }

    /// An object that is as if it were empty where it is absent.
    @inline(__always)
    package mutating func section<Section: Form>(
        _ name: String, _ get: (Subject) -> Section, _ sentence: String = ""
    ) -> Section {
        usual(name, get, .any, Section.ofDefaults, words: "", sentence)
    }

    /// The option that is there; nil: none, which is an error. Of several the first.
    @inline(__always)
    package mutating func one<Choice>(
        _ first: Choice?, _ second: Choice?, _ third: Choice? = nil, _ fourth: Choice? = nil,
        else message: String? = nil
    ) -> Choice? {
        var count = first == nil ? 0 : 1
        if second != nil { count += 1 }
        if third != nil { count += 1 }
        if fourth != nil { count += 1 }
        choose(count: count, message)
        return first ?? second ?? third ?? fourth
    }

    /// Refuses a field unless one of the others is there.
    @inline(__always)
    package mutating func only(_ name: String, if isGiven: Bool = true, with others: String...) {
        refuse([name], if: isGiven, when: .without(others), "allowed only with \(others.inWords("or")).")
    }

    @inline(__always)
    package mutating func refuse(
        _ names: [String], when condition: FieldCondition, _ message: @autoclosure () -> String
    ) {
        refuse(names, if: true, when: condition, message())
    }

    package mutating func unread(_ name: String) -> JSON? { nil }
    package mutating func choose(count: Int, _ message: String?) {}
    package mutating func refuse(
        _ names: [String], if isGiven: Bool, when condition: FieldCondition,
        _ message: @autoclosure () -> String
    ) {}
    package mutating func demand(_ name: String, when condition: FieldCondition, _ message: String) {}
    package mutating func demand(someOf names: [String], field: String?, _ message: String) {}
    package mutating func check(_ isRight: Bool, _ field: String?, _ message: @autoclosure () -> String) {}
}

extension Form {
    /// The form of an empty object.
    package static var ofDefaults: Self {
        var fields = FieldReader(JSONObject(), .lenient, isInside: true)
        return fields.read(Self.self)
    }
}

extension [String] {
    func inWords(_ conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }
}
