internal import ArgumentParser
internal import Messages

/// `ctl list`
struct ListControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the cameras of all agents on the broker, and how they are.",
        discussion: """
            --agent and --camera narrow it down. The last error is that of a recording or of a desired state: commands that \
            were refused are in "ctl watch" only. With --json, a list with an object for each camera, and for each agent \
            that has none.
            """
    )

    @OptionGroup var options: BusOptions

    func run() throws {
        let survey = try Survey(
            options, listeningTo: ["availability", "info", "zoom", "recording", "desired"])
        try survey.collect()
        let fleet = survey.fleet
        var rows = fleet.names.map { Row($0, fleet) }
        // An agent without a camera is there too.
        for (agent, known) in fleet.agents
        where isAsked(agent) && !fleet.names.contains(where: { $0.agent == agent }) {
            rows.append(Row(agent, known))
        }
        if rows.isEmpty, let error = missing(in: fleet) {
            options.report(error)
            throw ExitCode.failure
        }
        rows.sort { ($0.agent, $0.camera ?? "") < ($1.agent, $1.camera ?? "") }
        if options.json { return say(json: rows) }
        guard !rows.isEmpty else {
            return say("There is no camera below \(options.baseTopic)/ at \(options.host):\(options.port).")
        }
        var table = TextTable(["CAMERA", "STATE", "MODEL", "ZOOM", "RECORDING", "LAST ERROR"])
        for row in rows {
            let reason = row.reason.map { ": \($0)" } ?? ""
            table.add([
                "\(row.agent)/\(row.camera ?? "")", row.state + reason, row.model ?? "",
                row.zoom.map { plain($0) + "×" } ?? "", row.recording ?? "", row.lastError?.words ?? "",
            ])
        }
        table.print()
    }

    /// Whether the agent itself is to be listed.
    private func isAsked(_ agent: String) -> Bool {
        options.camera == nil && agent == options.agent ?? agent
    }

    /// What is wrong with the names that the options give.
    private func missing(in fleet: Fleet) -> CommandError? {
        if let error = fleet.unknownAgent(options) { return error }
        guard let camera = options.camera, !fleet.agents.isEmpty else { return nil }
        let all = fleet.agents.filter { $0.key == options.agent ?? $0.key }
            .flatMap { agent, known in (known.info?.cameras ?? []).map { "\(agent)/\($0.printable)" } }
        let others = all.isEmpty ? "" : "; there is \(all.sorted().joined(separator: ", "))"
        return CommandError(.badTopic, "There is no camera \(camera)\(others).")
    }

    /// A camera, or an agent that has none, as `--json` has it.
    private struct Row: Encodable {
        let agent: String
        let camera: String?
        let state: String
        let reason, model, serial: String?
        let zoom: Double?
        /// `idle`, `starting`, `recording` or `finishing`.
        let recording, path: String?
        let lastError: CommandError?

        private enum CodingKeys: String, CodingKey {
            case agent, camera, state, reason, model, serial, zoom, recording, path
            case lastError = "last_error"
        }

        init(_ name: Fleet.Name, _ fleet: Fleet) {
            let known = fleet.cameras[name]
            let there = fleet.availability(of: name)
            (agent, camera) = (name.agent, name.camera)
            (state, reason) = (there.state?.rawValue ?? "unknown", there.reason)
            (model, serial) = (known?.info?.model.printable, known?.info?.serial.printable)
            zoom = known?.zoom?.factor
            // What is away is recording no more, or nobody knows.
            let now = there.state == .online ? known?.recording : nil
            (recording, path) = (now?.state.rawValue, now?.path?.printable)
            lastError = known?.trouble?.error
        }

        init(_ agent: String, _ known: Fleet.Agent) {
            self.agent = agent
            state = known.availability?.state.rawValue ?? "unknown"
            (camera, reason, model, serial, zoom) = (nil, nil, nil, nil, nil)
            (recording, path, lastError) = (nil, nil, nil)
        }
    }
}
