/// A part of a document whose fields have an order.
package indirect enum DocumentValue: Sendable, Equatable, Encodable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([DocumentValue])
    case object(Object)

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object): try object.encode(to: encoder)
        case .text(let text): try single(text, encoder)
        case .number(let number): try single(number, encoder)
        case .flag(let flag): try single(flag, encoder)
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        }
    }

    private func single(_ value: some Encodable, _ encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// Fields in the order in which they were added: the same camera gives the same bytes.
package struct Object: Sendable, Equatable, Encodable, ExpressibleByDictionaryLiteral {
    package typealias Key = String
    package typealias Value = DocumentValue

    private struct FieldName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Field: Sendable, Equatable {
        let name: String
        let value: DocumentValue
    }

    private var fields: [Field] = []

    package init(dictionaryLiteral fields: (String, DocumentValue)...) {
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
    }

    /// The names, in their order.
    package var names: [String] { fields.map(\.name) }

    package subscript(name: String) -> DocumentValue? {
        get { fields.first { $0.name == name }?.value }
        set {
            let place = fields.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): fields[place] = Field(name: name, value: value)
            case (let place?, nil): fields.remove(at: place)
            case (nil, let value?): fields.append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for field in fields { try container.encode(field.value, forKey: FieldName(stringValue: field.name)) }
    }
}

extension DocumentValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self = .text(text) }
}

extension DocumentValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

extension DocumentValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: Int) { self = .number(Double(number)) }
}
