/// The fields of a form, for schemas, documents and error texts.
package struct FormDescription {
    package struct Field {
        package enum Presence {
            case required
            case optional
            /// The default as JSON, or as words.
            case usual(String)
        }

        package let name: String
        package let kind: FieldKind
        package var presence: Presence
        package let sentence: String
    }

    package enum Rule {
        /// Exactly one of these fields.
        case one([String])
        case refuse([String], when: FieldCondition)
        case demand(String, when: FieldCondition)
        case some([String])
        /// An object with a trigger may have only the group's fields.
        case group(triggers: [String], FormDescription)
    }

    package var fields: [Field] = []
    package var rules: [Rule] = []
    /// Of the choice that is described last: names of which exactly one is there.
    var options: [String] = []
    /// What the fields have that the form does not name; nil: there are none.
    package var others: (kind: FieldKind, sentence: String)?

    package init() {}

    /// Adds the fields of another form in the same object.
    package mutating func add(_ group: FormDescription) {
        fields += group.fields
        rules += group.rules
        options += group.options
        others = others ?? group.others
    }
}

/// Describes a form.
struct FormDescriber<Subject: Form>: FormVisitor {
    var description = FormDescription()

    private mutating func add(
        _ name: String, _ kind: FieldKind, _ presence: FormDescription.Field.Presence, _ sentence: String
    ) {
        description.fields.append(.init(name: name, kind: kind, presence: presence, sentence: sentence))
    }

    mutating func required<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, missing: String, _ sentence: String
    ) -> Value {
        add(name, Value.kind(rule), .required, sentence)
        return Value.sample
    }

    mutating func usual<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, _ usual: Value, words: String?,
        _ sentence: String
    ) -> Value {
        var json = JSONWriter()
        usual.write(rule, to: &json)
        let text = words ?? String(decoding: json.bytes, as: UTF8.self)
        add(name, Value.kind(rule), .usual(text), sentence)
        return usual
    }

    mutating func optional<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, isOption: Bool, _ sentence: String
    ) -> Value? {
        add(name, Value.kind(rule), .optional, sentence)
        if isOption { description.options.append(name) }
        return nil
    }

    mutating func group<Group: Form>(_ get: (Subject) -> Group) -> Group {
        description.add(Group.description)
        return Group.sample
    }

    mutating func option<Group: Form>(_ get: (Subject) -> Group?) -> Group? {
        var group = Group.description
        // A choice is due only where the group is there, and then the one after it includes it.
        group.rules.removeAll { if case .one = $0 { true } else { false } }
        description.add(group)
        return nil
    }

    mutating func option<Group: Form>(having names: [String], _ get: (Subject) -> Group?) -> Group? {
        description.rules.append(.group(triggers: names, Group.description))
        return nil
    }

    mutating func others<Value: FieldValue>(
        _ get: (Subject) -> [String: Value], _ rule: Value.Rule, _ sentence: String
    ) -> [String: Value] {
        description.others = (Value.kind(rule), sentence)
        return [:]
    }

    mutating func choose(count: Int, _ message: String?) {
        description.rules.append(.one(description.options))
    }

    mutating func refuse(
        _ names: [String], if isGiven: Bool, when condition: FieldCondition,
        _ message: @autoclosure () -> String
    ) {
        description.rules.append(.refuse(names, when: condition))
    }

    mutating func demand(_ name: String, when condition: FieldCondition, _ message: String) {
        description.rules.append(.demand(name, when: condition))
    }

    mutating func demand(someOf names: [String], field: String?, _ message: String) {
        description.rules.append(.some(names))
    }
}
