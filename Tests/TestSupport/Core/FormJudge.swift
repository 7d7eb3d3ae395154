package import Contract

/// Holds JSON against the description of a form, without the form's own reader.
extension FormDescription {
    /// What is wrong with an object; nil: nothing.
    package func objection(to object: JSONObject) -> String? {
        for case .group(let triggers, let group) in rules where triggers.contains(where: object.has) {
            return group.objection(to: object)
        }
        for (name, value) in object.members.map({ ($0.name, $0.value) }) {
            guard let kind = fields.first(where: { $0.name == name })?.kind ?? others?.kind else {
                return "\(name) is unknown"
            }
            if !kind.allows(value) { return "\(name) is out of its range: \(value)" }
        }
        if others != nil, !object.names.contains(where: { name in !fields.contains { $0.name == name } }) {
            return "no name is there"
        }
        for field in fields {
            if case .required = field.presence, !object.has(field.name) { return "\(field.name) is missing" }
        }
        return rules.contains { !$0.isKept(by: object) } ? "fields do not go together: \(object.names)" : nil
    }
}

extension FormDescription.Rule {
    fileprivate func isKept(by object: JSONObject) -> Bool {
        switch self {
        case .one(let names): names.count(where: object.has) == 1
        case .some(let names): names.contains(where: object.has)
        case .refuse(let names, let condition): !object.has(condition) || !names.contains(where: object.has)
        case .demand(let name, let condition): !object.has(condition) || object.has(name)
        case .group: true
        }
    }
}

extension FieldKind {
    package func allows(_ json: JSON) -> Bool {
        switch (self, json) {
        case (.number(let rule), _):
            json.number.map { (rule.isAbove ? $0 > rule.least : $0 >= rule.least) && $0 <= rule.most }
                ?? false
        case (.integer(let range), _): json.integer.map(range.contains) ?? false
        case (.flag, .flag), (.onlyTrue, .flag(true)), (.onlyFalse, .flag(false)), (.json, _): true
        case (.text(let rule), .text(let text)): rule.allows(text)
        case (.text(let rule), .integer): rule.format == .orNumber
        case (.time, .text(let text)): Timestamp.date(text) != nil
        case (.words(let words), .text(let text)): words.contains(text)
        case (.controlValue, _): json.number != nil || json == .flag(true) || json == .flag(false)
        case (.object(let form), .object(let object)): form?.objection(to: object) == nil
        case (.list(let element, let count, _), .list(let list)):
            count.contains(list.count) && list.allSatisfy(element.allows)
        case (.list(let element, _, orOne: true), _): element.allows(json)
        case (.map(let each), .object(let object)): object.members.allSatisfy { each.allows($0.value) }
        case (.orNull(let kind), _): json == .null || kind.allows(json)
        default: false
        }
    }
}

extension TextRule {
    fileprivate func allows(_ text: String) -> Bool {
        guard bytes == 0 || least...bytes ~= text.utf8.count else { return false }
        return switch format {
        case .any, .orNumber, .words: true
        case .line: !text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
        case .name: Topics.isName(text)
        case .fileName:
            !text.hasPrefix(".") && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "/") }
        case .stamp: Timestamp.date(text) != nil
        case .hexadecimal: text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        }
    }
}

extension JSONObject {
    func has(_ name: String) -> Bool { self[name] != nil }

    func has(_ condition: FieldCondition) -> Bool {
        switch condition {
        case .given(let name): has(name)
        case .without(let names): !names.contains(where: has)
        case .equal(let name, let value): self[name] == value
        case .unequal(let name, let value): self[name] != value
        }
    }
}
