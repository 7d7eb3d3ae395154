package import Settings

/// The `info` of an agent. What is nil in one of an agent of an earlier version is said here.
package struct AgentInfo: Sendable, Equatable {
    var agent: String
    package var name: String?
    var version: String
    var `protocol`: Int
    var host: String
    package var cameras: [String]
    /// Nil: those of all clients, from an agent of an earlier version.
    var clients: ClientMode?
    var started: String
    /// Nil, like the next three: from an agent of an earlier version.
    var clock: ClockFields?
    var instance: String?
    var run: String?
    var numbers: Int?
    package var sameName: SameNameFields?
    package var fleet: FleetFields?
    package var problem: String?

    /// Whether it takes only commands whose topic names the client.
    package var takesOnlyProvedClients: Bool { clients == .proved }

    package init(
        agent: String, name: String? = nil, version: String, protocol level: Int, host: String,
        cameras: [String], clients: ClientMode?, started: String, clock: ClockFields? = nil,
        instance: String? = nil, run: String? = nil, numbers: Int? = nil, sameName: SameNameFields? = nil,
        fleet: FleetFields? = nil, problem: String? = nil
    ) {
        (self.instance, self.run, self.numbers) = (instance, run, numbers)
        (self.sameName, self.fleet, self.problem) = (sameName, fleet, problem)
        (self.agent, self.name, self.version, self.protocol, self.host) = (agent, name, version, level, host)
        (self.cameras, self.clients, self.started, self.clock) = (cameras, clients, started, clock)
    }
}

extension AgentInfo: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        agent = f("agent", \.agent, .name, "Its name.")
        name = f.maybe("name", \.name, .title, "For people.")
        version = f("version", \.version, .filled, "Of the program.")
        `protocol` = f(
            "protocol", \.protocol, .from(1), "Level of the contract.")
        host = f("host", \.host, .any, "The machine's host name.")
        cameras = f("cameras", \.cameras, .each(.name), "Their ids.")
        clients = f.newer("clients", \.clients, .any, "Whose commands it takes.")
        started = f("started", \.started, .stamp, "When it was started.")
        clock = f.newer("clock", \.clock, .any, "Of the machine.")
        instance = f.newer(
            "instance", \.instance, .upTo(16, .hexadecimal),
            "Another text on each device.")
        run = f.newer("run", \.run, .upTo(16, .hexadecimal), "Another text in each run.")
        numbers = f.newer("numbers", \.numbers, .count, "No `rev` of the agent's cameras is above it.")
        fleet = f.maybe("fleet", \.fleet, .any, "Configuration of the fleet.")
        problem = f.maybe("problem", \.problem, .filled, "What is wrong, for people.")
        sameName = f.maybe(
            "same_name", \.sameName, .any,
            "Another device uses the agent's name.")
    }
}

package struct ClockFields: Sendable, Equatable {
    package var isSynchronized: Bool
    package var errorMilliseconds: Double?

    package init(isSynchronized: Bool, errorMilliseconds: Double?) {
        (self.isSynchronized, self.errorMilliseconds) = (isSynchronized, errorMilliseconds)
    }
}

extension ClockFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        isSynchronized = f(
            "synchronized", \.isSynchronized, .any, "As systemd judges it.")
        errorMilliseconds = f.maybe(
            "error_ms", \.errorMilliseconds, .within(0...16_000),
            "The largest error.")
        f.demand("error_ms", when: .equal("synchronized", .flag(true)), "required with synchronized.")
        f.refuse(["error_ms"], when: .equal("synchronized", .flag(false)), "allowed only if synchronized.")
    }
}

/// Another device that uses the name of an agent.
package struct SameNameFields: Sendable, Equatable {
    package var host: String?
    package var at: String

    package init(host: String?, at: String) { (self.host, self.at) = (host, at) }
}

extension SameNameFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        host = f.maybe("host", \.host, .any, "Its host name; absent: unknown.")
        at = f("at", \.at, .stamp, "Its last sign.")
    }
}

/// The configuration of the fleet (`fleet/config`) at an agent.
package struct FleetFields: Sendable, Equatable {
    package struct Refusal: Error, Equatable {
        package var version: Int?
        package var error: CommandError

        package init(version: Int?, error: CommandError) { (self.version, self.error) = (version, error) }
    }

    package var version: Int?
    package var refused: Refusal?

    package init(version: Int? = nil, refused: Refusal? = nil) {
        (self.version, self.refused) = (version, refused)
    }
}

extension FleetFields.Refusal: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        version = f.maybe("version", \.version, .from(1), "Absent: unreadable.")
        error = f("error", \.error, .any, "`field` is the key.")
    }
}

extension FleetFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        version = f.maybe("version", \.version, .from(1), "In effect.")
        refused = f.maybe("refused", \.refused, .any, "The newest document, if not applied.")
        f.demand(someOf: ["version", "refused"], field: nil, "a version is required.")
    }
}
