package import Contract

/// JSON merge patches (RFC 7386), for documents that are merged without knowledge of their fields.
extension JSON {
    /// The JSON form of a value.
    ///
    /// - Throws: what the value throws, and `EncodingError` for a number that isn't finite.
    package init(encoding value: some Encodable) throws {
        self = try JSON(reading: JSON.exactBytes(value))
    }

    /// Applies a merge patch: members of objects replace or join those that are there, `null` removes one,
    /// and any other value replaces the whole.
    mutating func merge(_ patch: JSON) {
        guard let changes = patch.object else {
            self = patch
            return
        }
        var object = self.object ?? [:]
        // The object has one owner, so that it is changed in its place.
        self = .null
        for change in changes.members {
            if change.value == .null {
                object[change.name] = nil
            } else {
                object.change(change.name) { $0.merge(change.value) }
            }
        }
        self = .object(object)
    }

    /// The merge patch that makes this value the other; nil: they are equal.
    ///
    /// A member that is `null` can't be told from one that is absent (RFC 7386); documents omit such members.
    package func patch(to other: JSON) -> JSON? {
        if self == other { return nil }
        guard let object, let otherObject = other.object else { return other }
        let (before, after) = (object.index, otherObject.index)
        var changes = MergePatch()
        for name in object.names where after[name] == nil { changes.add(name, .null) }
        for member in otherObject.members {
            changes.add(member.name, before[member.name].map { $0.patch(to: member.value) } ?? member.value)
        }
        return changes.tree
    }
}
