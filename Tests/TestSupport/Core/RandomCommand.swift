package import Contract

/// Random commands, from the description of their form.
package struct RandomCommand<Random: RandomNumberGenerator> {
    package var random: Random
    /// Values of fields by name, which tell more than any of their range. One that is there twice comes twice
    /// as often.
    private let usual: [String: [JSON]]

    package init(_ usual: [String: [JSON]], _ random: Random) {
        (self.usual, self.random) = (usual, random)
    }

    /// An object that keeps the rules that the form describes.
    package mutating func object(_ form: FormDescription) -> JSONObject {
        for case .group(let triggers, let group) in form.rules where chance(0.25) {
            let object = self.object(group)
            if triggers.contains(where: { object[$0] != nil }) { return object }
        }
        var (wanted, options): (Set<String>, Set<String>) = ([], [])
        for rule in form.rules {
            switch rule {
            case .one(let names):
                options.formUnion(names)
                wanted.insert(pick(names))
            case .some(let names): wanted.insert(pick(names))
            default: break
            }
        }
        var object = JSONObject()
        for field in form.fields {
            let isRequired = if case .required = field.presence { true } else { false }
            guard isRequired || wanted.contains(field.name) || !options.contains(field.name) && chance(0.4)
            else { continue }
            object[field.name] = value(field)
        }
        if let others = form.others {
            for _ in 0..<pick([1, 1, 2, 3]) {
                let names = usual["…"]?.compactMap(\.text) ?? ["a"]
                let name = pick(names)
                object[name] = value(others.kind, name)
            }
        }
        for rule in form.rules {
            switch rule {
            case .demand(let name, let condition) where object.has(condition):
                object[name] = object[name] ?? form.fields.first { $0.name == name }.map { value($0) }
            case .refuse(let names, let condition) where object.has(condition):
                for name in names { object[name] = nil }
            default: break
            }
        }
        return object
    }

    private mutating func value(_ field: FormDescription.Field) -> JSON { value(field.kind, field.name) }

    private mutating func value(_ kind: FieldKind, _ name: String) -> JSON {
        let usual = usual[name]?.filter(kind.allows) ?? []
        if !usual.isEmpty { return pick(usual) }
        switch kind {
        case .number(let rule):
            let least = max(rule.least, -2)
            return .number(.random(in: least...min(rule.most, least + 4), using: &random).nextUp)
        case .integer(let range):
            let least = max(range.lowerBound, -50)
            return .integer(.random(in: least...min(range.upperBound, least + 100), using: &random))
        case .flag: return .flag(chance(0.5))
        case .onlyTrue: return .flag(true)
        case .onlyFalse: return .flag(false)
        case .text: return .text("a")
        case .time: return .text("2026-01-31T12:00:00Z")
        case .words(let words): return .text(pick(words))
        case .controlValue: return .integer(pick([-1, 0, 1, 128]))
        case .object(let form): return .object(object(form ?? FormDescription()))
        case .list(let element, let count, _):
            let most = min(count.upperBound, max(count.lowerBound, 3))
            return .list((0..<pick(Array(max(1, count.lowerBound)...most))).map { _ in value(element, name) })
        case .map(let each): return .object(["a": value(each, name)])
        case .json: return .null
        case .orNull(let kind): return chance(0.5) ? .null : value(kind, name)
        }
    }

    private mutating func chance(_ share: Double) -> Bool { .random(in: 0..<1, using: &random) < share }
    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}
