package import Contract

/// A document that is kept as a snapshot and a journal of changes.
package protocol JournaledDocument: Codable, Sendable {
    associatedtype Change: Sendable

    /// Applies a change.
    ///
    /// - Returns: the change as a JSON merge patch of the document's encoded form; nil: nothing differs.
    /// - Throws: what can't be encoded as JSON. The document is as it was then.
    mutating func apply(_ change: Change) throws -> JSON?
}

/// Collects the members of a merge patch.
package struct MergePatch {
    private var members = JSONObject()

    package init() {}

    /// Adds the difference between two values of a member; nothing when they are equal.
    ///
    /// - Throws: those of `JSON.init(encoding:)`.
    package mutating func add<Value: Encodable & Equatable>(
        _ name: String, from old: Value?, to new: Value?
    ) throws {
        if old != new { try addEncoded(name, from: old, to: new) }
    }

    /// Adds the difference between the encoded forms of two values of a member.
    ///
    /// - Throws: those of `JSON.init(encoding:)`.
    package mutating func addEncoded(
        _ name: String, from old: (any Encodable)?, to new: (any Encodable)?
    ) throws {
        guard let new else {
            members[name] = .null
            return
        }
        let tree = try JSON(encoding: new)
        if let old { add(name, try JSON(encoding: old).patch(to: tree)) } else { members[name] = tree }
    }

    /// Adds a patch of a member.
    package mutating func add(_ name: String, _ patch: JSON?) {
        if let patch { members[name] = patch }
    }

    /// The patch; nil: it changes nothing.
    package var tree: JSON? { members.isEmpty ? nil : .object(members) }
}
