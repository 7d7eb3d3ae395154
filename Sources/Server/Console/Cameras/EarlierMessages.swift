internal import Contract

/// The retained messages that the console knows from an earlier connection to the broker. Those that do not
/// come again were removed meanwhile.
///
/// A broker sends the retained messages of a subscription when it has accepted it, but does not say which
/// is the last one, and MQTT has no rule for their order among other messages. Therefore they count as
/// removed when, after the broker has answered all subscriptions, none of them has come for
/// ``quietTime``. One that is later than that is taken as new.
struct EarlierMessages {
    private static let quietTime = Duration.seconds(5)

    private var subjects: Set<Topics.Subject> = []
    /// When the last one came again; nil: the subscriptions are not answered.
    private var quietSince: ContinuousClock.Instant?

    /// There is a new connection.
    ///
    /// - Parameter subjects: the topics whose retained messages are known.
    mutating func begin(_ subjects: [Topics.Subject]) {
        self.subjects = Set(subjects)
        quietSince = nil
    }

    /// The broker has answered all subscriptions.
    mutating func subscribed(at time: ContinuousClock.Instant) {
        if quietSince == nil { quietSince = time }
    }

    /// The connection has ended: it is not known what was removed.
    mutating func end() { quietSince = nil }

    /// A message has come.
    mutating func came(_ subject: Topics.Subject, at time: ContinuousClock.Instant) {
        guard !subjects.isEmpty, subjects.remove(subject) != nil, quietSince != nil else { return }
        quietSince = time
    }

    /// The topics whose messages were removed, as far as that is known now. Each is returned once.
    mutating func takeRemoved(at time: ContinuousClock.Instant) -> Set<Topics.Subject> {
        guard let quietSince, time - quietSince >= Self.quietTime else { return [] }
        defer { subjects = [] }
        return subjects
    }
}
