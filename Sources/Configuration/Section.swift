/// A group of keys, nested as in the file. Made from the table of keys.
struct Section: Sendable {
    private(set) var members: [(name: String, member: Member)] = []

    enum Member: Sendable {
        case key(Key)
        case section(Section)
        /// A list with a section for each camera.
        case cameras(Section)
    }

    static let root: Section = {
        var root = Section()
        for key in Keys.all { root.insert(key, at: key.path.split(separator: ".").map(String.init)[...]) }
        return root
    }()

    subscript(name: String) -> Member? { members.first { $0.name == name }?.member }

    /// The key whose short form is a value in the place of this group.
    var main: Key? {
        for case (_, .key(let key)) in members where key.hasShortForm { return key }
        return nil
    }

    var names: [String] { members.map(\.name) }

    private mutating func insert(_ key: Key, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        let rest = path.dropFirst()
        let name = first.hasSuffix("[]") ? String(first.dropLast(2)) : first
        guard !rest.isEmpty else { return members.append((name, .key(key))) }
        let index = members.firstIndex { $0.name == name }
        var inner = Section()
        if let index, case .section(let known) = members[index].member { inner = known }
        if let index, case .cameras(let known) = members[index].member { inner = known }
        inner.insert(key, at: rest)
        let member = name == first ? Member.section(inner) : .cameras(inner)
        if let index { members[index].member = member } else { members.append((name, member)) }
    }
}
