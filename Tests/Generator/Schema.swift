import Contract

/// JSON Schemas of forms.
struct Schema {
    /// What stands beside the fields of the form in the same object, such as those that all commands have.
    var shared = FormDescription()
    /// Fields of ``shared`` that an object of a group does not have.
    var notInGroups: [String] = []

    /// The schema of an object.
    func object(_ form: FormDescription) -> JSONObject {
        var all = shared
        all.add(form)
        var properties = JSONObject(distinct: all.withGroups.map { ($0.name, .object(Self.field($0))) })
        var schema: JSONObject = [
            "type": .text("object"), "properties": properties.isEmpty ? nil : .object(properties),
            "required": all.required.isEmpty ? nil : .texts(all.required),
        ]
        write(all.rules, properties.names, to: &schema)
        guard let others = form.others else {
            schema["additionalProperties"] = .flag(false)
            schema["maxProperties"] = shared.fields.isEmpty ? nil : .integer(64)
            return schema
        }
        // Fields with any names: there is at least one.
        var value = Self.value(others.kind)
        value["description"] = .text(others.sentence)
        schema["additionalProperties"] = .object(value)
        schema["maxProperties"] = .integer(64)
        if properties.isEmpty {
            schema["minProperties"] = .integer(1)
        } else {
            // `cancel` stands alone.
            properties["cancel"] = .flag(false)
            schema["properties"] = .object(properties)
            schema["propertyNames"] = .object(Self.value(.text(.name)))
            schema["not"] = .object(["propertyNames": .object(["enum": .texts(properties.names)])])
        }
        return schema
    }

    /// Rules for several fields, one by one.
    ///
    /// - Parameter names: of all fields.
    private func write(_ rules: [FormDescription.Rule], _ names: [String], to schema: inout JSONObject) {
        var (parts, together): ([JSONObject], JSONObject) = ([], [:])
        for rule in rules {
            switch rule {
            case .one(let names): parts.append(["oneOf": Self.each(names)])
            case .some(let names) where names.count == 1: break
            case .some(let names): parts.append(["anyOf": Self.each(names)])
            case .refuse(let names, let condition):
                let unless = JSON.object(Self.unless(condition))
                parts.append(["dependentSchemas": .object(JSONObject(distinct: names.map { ($0, unless) }))])
            case .demand(let name, .given(let other)):
                together[other] = .list((together[other]?.list ?? []) + [.text(name)])
            case .demand(let name, let condition):
                parts.append([
                    "if": .object(Self.unless(condition)), "else": .object(["required": .texts([name])]),
                ])
            case .group(let triggers, let group):
                parts.append([
                    "if": .object(["anyOf": Self.each(triggers)]),
                    "then": .object(restriction(to: group, of: names)),
                ])
            }
        }
        schema["dependentRequired"] = together.isEmpty ? nil : .object(together)
        if parts.count == 1 {
            schema.add(parts[0])
        } else if !parts.isEmpty {
            schema["allOf"] = .list(parts.map { .object($0) })
        }
    }

    /// Only the fields of a group.
    private func restriction(to group: FormDescription, of names: [String]) -> JSONObject {
        let allowed = (group.fields + shared.fields).map(\.name)
        let refused = names.filter { !allowed.contains($0) || notInGroups.contains($0) }
        var schema: JSONObject = [
            "properties": .object(JSONObject(distinct: refused.map { ($0, .flag(false)) })),
            "required": group.required.isEmpty ? nil : .texts(group.required),
        ]
        write(group.rules, names, to: &schema)
        return schema
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

    // MARK: Fields

    static func field(_ field: FormDescription.Field) -> JSONObject {
        var schema: JSONObject = field.sentence.isEmpty ? [:] : ["description": .text(field.sentence)]
        schema.add(value(field.kind))
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

extension JSONObject {
    mutating func add(_ others: JSONObject) {
        for member in others.members { self[member.name] = member.value }
    }
}

extension JSON {
    static func texts(_ texts: [String]) -> JSON { .list(texts.map { .text($0) }) }

    /// As a file has it: what fits is on one line.
    func fileText(_ margin: String = "\n") -> String {
        let inner = margin + "  "
        let (start, parts, end): (String, [String], String) =
            switch self {
            case .object(let object) where !object.isEmpty:
                ("{ ", object.members.map { "\"\($0.name)\": \($0.value.fileText(inner))" }, " }")
            case .list(let values): ("[", values.map { $0.fileText(inner) }, "]")
            default: ("", [String(decoding: JSON.bytes(self), as: UTF8.self)], "")
            }
        let line = start + parts.joined(separator: ", ") + end
        if start.isEmpty || line.utf8.count + margin.utf8.count <= 111 && !line.contains("\n") { return line }
        return start.prefix(1) + inner + parts.joined(separator: ",\(inner)") + margin + end.suffix(1)
    }
}
