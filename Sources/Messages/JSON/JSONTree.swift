/// A type whose values stand for any JSON.
package protocol JSONTree {
    /// - Parameter part: the value; those in a list or an object were made before.
    init(_ part: JSONNode<Self>)
}

/// One JSON value, with the values in it.
package enum JSONNode<Value> {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([Value])
    case object([String: Value])
}

extension JSON {
    /// The largest number of objects and lists around a value of a tree.
    package static let maxTreeDepth = 16

    /// A text as a tree of values; nil if it is no valid JSON, has a name twice in one object, or is deeper
    /// than ``maxTreeDepth``.
    ///
    /// It takes a fraction of the time of ``value(_:from:)``.
    package static func tree<Value: JSONTree>(_ type: Value.Type, from text: [UInt8]) -> Value? {
        (try? JSONPart(text)).flatMap { tree($0, depth: 0) }
    }

    private static func tree<Value: JSONTree>(_ part: JSONPart, depth: Int) -> Value? {
        guard depth <= maxTreeDepth else { return nil }
        switch part.kind {
        case .null: return Value(.null)
        case .flag(let flag): return Value(.flag(flag))
        case .integer(let number): return Value(.integer(number))
        case .real(let number): return Value(.number(number))
        case .text(let text): return Value(.text(text))
        case .list:
            var values: [Value] = []
            for element in part.elements {
                guard let value: Value = tree(element, depth: depth + 1) else { return nil }
                values.append(value)
            }
            return Value(.list(values))
        case .object:
            var fields: [String: Value] = [:]
            for name in part.names {
                guard let field = part[name], let value: Value = tree(field, depth: depth + 1) else {
                    return nil
                }
                fields[name] = value
            }
            return Value(.object(fields))
        }
    }
}
