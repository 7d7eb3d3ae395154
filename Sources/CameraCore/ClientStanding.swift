/// How sure it is that a client isn't one of many names of the same sender. Clients of a higher standing do
/// not make room for those of a lower one.
package enum ClientStanding: Int, Sendable, Comparable {
    /// It gave itself a name that the agent didn't know a minute ago.
    case new
    /// It gave itself its name, and the agent has known it for a minute or longer.
    case known
    /// Its commands come on the topic of its account, and the agent accepts no others.
    case proved

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
