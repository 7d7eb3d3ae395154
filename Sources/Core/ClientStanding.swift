/// Whether a client isn't one of many names of the same sender. Proved clients do not make room for others.
package enum ClientStanding: Int, Sendable, Comparable {
    /// It gave itself its name.
    case unproved
    /// Its commands come on the topic of its account, and the agent accepts no others.
    case proved

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
