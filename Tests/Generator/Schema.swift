import Contract

/// JSON Schemas of forms.
struct Schema {
    /// What stands beside the fields of the form in the same object, such as those that all commands have.
    var shared = FormDescription()
    /// Fields of ``shared`` that an object of a group does not have.
    var notInGroups: [String] = []

    /// The schema of an object.
    func object(_ form: FormDescription, sentence: String = "") -> JSONObject {
        var all = shared
        all.add(form)
        var properties = JSONObject()
        let groups = form.rules.compactMap {
            if case .group(let triggers, let group) = $0 { (triggers, group) } else { nil }
        }
        for field in all.withGroups { properties[field.name] = .object(Self.field(field)) }
        var schema: JSONObject = [
            "description": sentence.isEmpty ? nil : .text(sentence), "type": .text("object"),
        ]
        if !properties.isEmpty { schema["properties"] = .object(properties) }
        let required = all.required
        if !required.isEmpty { schema["required"] = .texts(required) }
        var rules = Rules()
        rules.add(all.rules)
        for (triggers, group) in groups {
            for trigger in triggers {
                rules.depend(trigger, on: restriction(to: group, of: properties.names))
            }
        }
        rules.write(to: &schema)
        if let others = form.others {
            write(others, to: &schema)
        } else {
            schema["additionalProperties"] = .flag(false)
        }
        if !shared.fields.isEmpty { schema["maxProperties"] = .integer(64) }
        return schema
    }

    /// Fields with any names: there is at least one.
    private func write(_ others: (kind: FieldKind, sentence: String), to schema: inout JSONObject) {
        var value = Self.value(others.kind)
        value["description"] = .text(others.sentence)
        let names = shared.fields.map(\.name)
        if names.isEmpty {
            schema["additionalProperties"] = .object(value)
            (schema["minProperties"], schema["maxProperties"]) = (.integer(1), .integer(64))
        } else {
            // `cancel` stands alone.
            let known = names + ["cancel"]
            schema["patternProperties"] = .object([
                "^(?!(\(known.joined(separator: "|")))$)[a-z0-9_-]{1,64}$": .object(value)
            ])
            schema["additionalProperties"] = .flag(false)
            schema["not"] = .object(["propertyNames": .object(["enum": .texts(known)])])
        }
    }

    /// Only the fields of a group.
    private func restriction(to group: FormDescription, of names: [String]) -> JSONObject {
        let allowed =
            group.fields.map(\.name) + shared.fields.map(\.name).filter { !notInGroups.contains($0) }
        var properties = JSONObject()
        for name in names where !allowed.contains(name) { properties[name] = .flag(false) }
        var schema: JSONObject = ["properties": .object(properties)]
        if !group.required.isEmpty { schema["required"] = .texts(group.required) }
        var rules = Rules()
        rules.add(group.rules)
        rules.write(to: &schema)
        return schema
    }

    // MARK: Fields

    static func field(_ field: FormDescription.Field) -> JSONObject {
        var schema: JSONObject = field.sentence.isEmpty ? [:] : ["description": .text(field.sentence)]
        for member in value(field.kind).members { schema[member.name] = member.value }
        if case .usual(let text) = field.presence, let value = JSON(Array(text.utf8)) {
            schema["default"] = value
        }
        return schema
    }

    static func value(_ kind: FieldKind) -> JSONObject {
        switch kind {
        case .number(let rule):
            [
                "type": .text("number"),
                (rule.isAbove ? "exclusiveMinimum" : "minimum"): rule.least > -.infinity
                    ? .number(rule.least) : nil,
                "maximum": rule.most < .infinity ? .number(rule.most) : nil,
            ]
        case .integer(let range):
            [
                "type": .text("integer"),
                "minimum": range.lowerBound > .min ? .integer(range.lowerBound) : nil,
                "maximum": range.upperBound < .max ? .integer(range.upperBound) : nil,
            ]
        case .flag: ["type": .text("boolean")]
        case .onlyTrue: ["const": .flag(true)]
        case .onlyFalse: ["const": .flag(false)]
        case .orNull(let kind):
            ["oneOf": .list([.object(["type": .text("null")]), .object(value(kind))])]
        case .text(let rule) where rule.format == .orNumber:
            ["oneOf": .list([.object(text(rule)), .object(["type": .text("integer")])])]
        case .text(let rule): text(rule)
        case .time:
            [
                "type": .text("string"), "format": .text("date-time"),
                "pattern": .text(
                    #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"#
                ),
            ]
        case .words(let words): ["enum": .texts(words)]
        case .controlValue: ["type": .texts(["number", "boolean"])]
        case .object(let form): Schema().object(form ?? FormDescription())
        case .list(let element, let count, let orOne):
            orOne
                ? ["oneOf": .list([.object(value(element)), .object(list(element, count))])]
                : list(element, count)
        case .map(let each): ["type": .text("object"), "additionalProperties": .object(value(each))]
        case .json: [:]
        }
    }

    /// JSON that is a command without being an object. Words are in capitals or not.
    static func bare(_ kind: FieldKind) -> JSONObject {
        guard case .words(let words) = kind else { return value(kind) }
        let patterns = words.map { $0.map { "[\($0)\($0.lowercased())]" }.joined() }
        return ["type": .text("string"), "pattern": .text("^(\(patterns.joined(separator: "|")))$")]
    }

    private static func list(_ element: FieldKind, _ count: ClosedRange<Int>) -> JSONObject {
        [
            "type": .text("array"), "items": .object(value(element)),
            "minItems": count.lowerBound > 0 ? .integer(count.lowerBound) : nil,
            "maxItems": count.upperBound < .max ? .integer(count.upperBound) : nil,
        ]
    }

    // MARK: User properties

    /// The fields as texts. What is inside another field has a dot in its name.
    static func headers(of fields: [FormDescription.Field]) -> JSONObject {
        let all = fields.flatMap { field in
            if case .object(let form?) = field.kind {
                form.fields.map { ("\(field.name).\($0.name)", $0) }
            } else {
                [(field.name, field)]
            }
        }
        let required = all.filter { if case .required = $0.1.presence { true } else { false } }
        return [
            "type": .text("object"),
            "properties": .object(JSONObject(distinct: all.map { ($0, .object(header($1))) })),
            "required": .texts(required.map(\.0)), "additionalProperties": .flag(false),
        ]
    }

    private static func header(_ field: FormDescription.Field) -> JSONObject {
        let pattern =
            switch field.kind {
            case .integer: "^[0-9]+$"
            case .number(let rule):
                "^\(rule.least < 0 ? "-?" : "")[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?$"
            default: nil as String?
            }
        guard let pattern else { return self.field(field) }
        return [
            "description": .text(field.sentence), "type": .text("string"), "pattern": .text(pattern),
        ]
    }

    /// JSON Schema counts characters, of which a text has no more than bytes.
    private static func text(_ rule: TextRule) -> JSONObject {
        let pattern: String? =
            switch rule.format {
            case .any, .orNumber, .words: nil
            case .stamp: #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"#
            case .hexadecimal: "^[0-9a-f]*$"
            case .line: #"^[^\u0000-\u001f\u007f-\u009f]*$"#
            case .name: "^[a-z0-9_-]{1,64}$"
            case .fileName: "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"
            }
        return [
            "type": .text("string"), "format": rule.format == .stamp ? .text("date-time") : nil,
            "minLength": rule.bytes > 0 ? .integer(rule.least) : nil,
            "maxLength": rule.bytes > 0 && rule.bytes < .max ? .integer(rule.bytes) : nil,
            "pattern": pattern.map { .text($0) },
        ]
    }
}

/// Rules for several fields.
private struct Rules {
    private var parts: [JSONObject] = []
    private var dependent = JSONObject()
    private var together = JSONObject()

    mutating func add(_ rules: [FormDescription.Rule]) {
        for rule in rules {
            switch rule {
            case .one(let names): parts.append(["oneOf": Self.each(names)])
            case .some(let names) where names.count == 1: break
            case .some(let names): parts.append(["anyOf": Self.each(names)])
            case .refuse(let names, let condition):
                for name in names { depend(name, on: Self.unless(condition)) }
            case .demand(let name, .given(let other)):
                together[other] = .list((together[other]?.list ?? []) + [.text(name)])
            case .demand(let name, let condition):
                let unless = JSON.object(Self.unless(condition))
                let same = parts.firstIndex { $0["if"] == unless }
                let part = same.map { parts.remove(at: $0) }
                let names = (part?["else"]?.object?["required"]?.list ?? []) + [.text(name)]
                parts.append(["if": unless, "else": .object(["required": .list(names)])])
            case .group: break
            }
        }
    }

    /// An object with the field has to obey the schema.
    mutating func depend(_ name: String, on schema: JSONObject) {
        guard let before = dependent[name]?.object else { return dependent[name] = .object(schema) }
        dependent[name] = .object([
            "allOf": .list((before["allOf"]?.list ?? [.object(before)]) + [.object(schema)])
        ])
    }

    func write(to schema: inout JSONObject) {
        if !together.isEmpty { schema["dependentRequired"] = .object(together) }
        if !dependent.isEmpty { schema["dependentSchemas"] = .object(dependent) }
        let names = Set(parts.flatMap(\.names))
        if parts.reduce(0, { $0 + $1.count }) > names.count {
            schema["allOf"] = .list(parts.map { .object($0) })
        } else {
            for member in parts.flatMap(\.members) { schema[member.name] = member.value }
        }
    }

    private static func each(_ names: [String]) -> JSON {
        .list(names.map { .object(["required": .texts([$0])]) })
    }

    /// The schema of the objects for which the condition is not true.
    private static func unless(_ condition: FieldCondition) -> JSONObject {
        func with(_ name: String, _ schema: JSONObject) -> JSON { .object([name: .object(schema)]) }
        return switch condition {
        case .given(let name): ["properties": .object([name: .flag(false)])]
        case .without(let names) where names.count == 1: ["required": .texts(names)]
        case .without(let names): ["anyOf": each(names)]
        case .equal(let name, let value): ["properties": with(name, ["not": .object(["const": value])])]
        case .unequal(let name, let value):
            ["properties": with(name, ["const": value]), "required": .texts([name])]
        }
    }
}

extension FormDescription {
    func without(_ names: [String]) -> FormDescription {
        var form = self
        form.fields.removeAll { names.contains($0.name) }
        form.rules.removeAll {
            if case .refuse(let refused, _) = $0 { names.contains(where: refused.contains) } else { false }
        }
        return form
    }

    /// Also the fields of groups, none of which has to be there. Of a name that is there twice the first.
    var withGroups: [Field] {
        var all = fields
        for case .group(_, let group) in rules {
            for var field in group.fields where !all.contains(where: { $0.name == field.name }) {
                if case .required = field.presence { field.presence = .optional }
                all.append(field)
            }
        }
        return all
    }

    fileprivate var required: [String] {
        let demanded = rules.compactMap {
            if case .some(let names) = $0, names.count == 1 { names[0] } else { nil }
        }
        return fields.compactMap {
            if case .required = $0.presence { $0.name } else { demanded.contains($0.name) ? $0.name : nil }
        }
    }
}

extension JSON {
    static func texts(_ texts: [String]) -> JSON { .list(texts.map { .text($0) }) }

    /// As a file has it: what fits is on one line.
    func fileText(indentedBy indent: Int = 0) -> String {
        let line = self.line
        if line.utf8.count + indent <= 110 { return line }
        let inner = String(repeating: " ", count: indent + 2)
        let end = "\n" + String(repeating: " ", count: indent)
        switch self {
        case .object(let object):
            let members = object.members.map {
                "\(inner)\(JSON.text($0.name).line): \($0.value.fileText(indentedBy: indent + 2))"
            }
            return "{\n" + members.joined(separator: ",\n") + end + "}"
        case .list(let values):
            let elements = values.map { inner + $0.fileText(indentedBy: indent + 2) }
            return "[\n" + elements.joined(separator: ",\n") + end + "]"
        default: return line
        }
    }

    var line: String {
        switch self {
        case .object(let object) where object.isEmpty: "{}"
        case .object(let object):
            "{ "
                + object.members.map { "\(JSON.text($0.name).line): \($0.value.line)" }.joined(
                    separator: ", ") + " }"
        case .list(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        default: String(decoding: JSON.bytes(self), as: UTF8.self)
        }
    }
}
