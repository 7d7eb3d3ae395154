/// Writes a form as JSON.
struct FormWriter<Subject: Form>: FormVisitor {
    private let subject: UnsafePointer<Subject>
    private var json = JSONWriter(bytes: [])

    /// The writer is the only owner of the text until ``end(_:)``, so that nothing is copied.
    init(_ subject: UnsafePointer<Subject>, _ json: inout JSONWriter) {
        self.subject = subject
        swap(&self.json, &json)
    }

    mutating func end(_ json: inout JSONWriter) { swap(&self.json, &json) }

    @inline(__always)
    mutating func required<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, missing: String, _ sentence: String
    ) -> Value {
        let value = get(subject.pointee)
        json.field(name, value, rule)
        return value
    }

    @inline(__always)
    mutating func usual<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value, _ rule: Value.Rule, _ usual: Value, words: String?,
        _ sentence: String
    ) -> Value {
        let value = get(subject.pointee)
        json.field(name, value, rule)
        return value
    }

    @inline(__always)
    mutating func optional<Value: FieldValue>(
        _ name: String, _ get: (Subject) -> Value?, _ rule: Value.Rule, isOption: Bool, _ sentence: String
    ) -> Value? {
        let value = get(subject.pointee)
        if let value { json.field(name, value, rule) }
        return isOption ? value : nil
    }

    mutating func group<Group: Form>(_ get: (Subject) -> Group) -> Group {
        let group = get(subject.pointee)
        group.writeFields(to: &json)
        return group
    }

    mutating func maybeGroup<Group: Form>(_ get: (Subject) -> Group?) -> Group? {
        let group = get(subject.pointee)
        group?.writeFields(to: &json)
        return group
    }

    mutating func maybeGroup<Group: Form>(having names: [String], _ get: (Subject) -> Group?) -> Group? {
        maybeGroup(get)
    }

    mutating func others<Value: FieldValue>(
        _ get: (Subject) -> [String: Value], _ rule: Value.Rule, _ sentence: String
    ) -> [String: Value] {
        let values = get(subject.pointee)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            json.key(name)
            value.write(rule, to: &json)
        }
        return values
    }
}

extension JSONWriter {
    /// A field, whose name has no characters that JSON escapes. Compiled once for each type of values.
    @inline(never)
    package mutating func field<Value: FieldValue>(_ name: String, _ value: Value, _ rule: Value.Rule) {
        key(plain: name)
        value.write(rule, to: &self)
    }
}
