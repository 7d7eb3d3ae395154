package import Contract

extension Form {
    /// Objects of this form with another value in each field: one for each option where one has to be chosen.
    package static func distinctObjects(_ reading: Reading = .strict) -> [JSON] {
        let form = description
        let choices = form.rules.compactMap { if case .one(let names) = $0 { names } else { nil } }
        let options = choices.max { $0.count < $1.count } ?? []
        let groups: [FormDescription?] = [nil] + form.rules.compactMap(\.group)
        return groups.flatMap { group in
            (options.isEmpty ? [nil] : options.map { $0 }).map { option in
                let dropped = option == nil ? [] : options.filter { $0 != option }
                var count = 0
                return .object((group ?? form).object(without: Set(dropped), reading, &count))
            }
        }
    }
}

extension Form where Self: Equatable {
    /// The distinct objects that are another value when they are read, written and read again: the form takes
    /// a field from another one.
    package static func changedInRoundTrip(_ reading: Reading = .strict) throws -> [JSON] {
        try distinctObjects(reading).filter { object in
            let form = try Self(object, reading)
            return try JSON(JSON.bytes(form)).map { try Self($0, reading) } != form
        }
    }
}

extension FormDescription.Rule {
    fileprivate var group: FormDescription? { if case .group(_, let group) = self { group } else { nil } }
}

extension FormDescription {
    fileprivate func object(
        without dropped: Set<String>, _ reading: Reading, _ count: inout Int
    ) -> JSONObject {
        var object = JSONObject()
        for field in fields where !dropped.contains(field.name) {
            object[field.name] = field.kind.distinct(reading, &count)
        }
        if let others { object["other"] = others.kind.distinct(reading, &count) }
        for case .refuse(let names, let condition) in rules
        where reading == .strict && object.meets(condition) {
            for name in names { object[name] = nil }
        }
        return object
    }
}

extension JSONObject {
    fileprivate func meets(_ condition: FieldCondition) -> Bool {
        switch condition {
        case .given(let name): self[name] != nil
        case .without(let names): names.allSatisfy { self[$0] == nil }
        case .equal(let name, let value): self[name] == value
        case .unequal(let name, let value): self[name] != value
        }
    }
}

extension FieldKind {
    /// - Parameter count: of the values before.
    fileprivate func distinct(_ reading: Reading, _ count: inout Int) -> JSON {
        count += 1
        switch self {
        case .number(let rule):
            let (least, most) = (max(rule.least, -1000), min(rule.most, 1000))
            return .number(least + (most - least) * Double(count % 64 + 1) / 64)
        case .integer(let range): return .integer(min(max(range.lowerBound, 0) + count, range.upperBound))
        case .flag: return .flag(count % 2 == 0)
        case .onlyTrue: return .flag(true)
        case .text(let rule): return .text(rule.distinct(count))
        case .time: return .text("2026-01-31T12:00:\(count < 10 ? "0" : "")\(count % 60).000Z")
        case .words(let words): return .text(words[count % words.count])
        case .onlyFalse: return .flag(false)
        case .orNull(let kind): return kind.distinct(reading, &count)
        case .controlValue, .json: return .number(Double(count))
        case .object(let form):
            return .object(form?.object(without: form?.unchosen ?? [], reading, &count) ?? [:])
        case .list(let element, let range, _):
            return .list((0..<min(2, range.upperBound)).map { _ in element.distinct(reading, &count) })
        case .map(let each):
            return .object(["one": each.distinct(reading, &count), "two": each.distinct(reading, &count)])
        }
    }
}

extension FormDescription {
    /// All options but the first.
    fileprivate var unchosen: Set<String> {
        for case .one(let names) in rules { return Set(names.dropFirst()) }
        return []
    }
}

extension TextRule {
    fileprivate func distinct(_ count: Int) -> String {
        switch format {
        case .fileName: "t\(count).jpg"
        case .stamp: "2026-01-31T12:00:\(count < 10 ? "0" : "")\(count % 60).000Z"
        case .hexadecimal: String(repeating: "0", count: least - 1) + String(count % 16, radix: 16)
        default: "t\(count)" + String(repeating: "x", count: max(0, least - 3))
        }
    }
}
