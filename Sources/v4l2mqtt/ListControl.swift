internal import ArgumentParser
internal import Messages

/// `ctl list`
struct ListControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the cameras of all agents on the broker, and how they are.",
        discussion: "--agent and --camera narrow it down. With --json, a list with an object for each camera."
    )

    @OptionGroup var options: BusOptions

    func run() throws {
        let survey = try Survey(
            options, listeningTo: ["availability", "info", "zoom", "recording", "desired"])
        try survey.collect()
        let fleet = survey.fleet
        let names = fleet.names.filter { options.camera == nil || $0.camera == options.camera }
        if options.json {
            let rows = names.map { Row($0, fleet) }
            return print(String(decoding: JSON.bytes(rows), as: UTF8.self))
        }
        guard !names.isEmpty || !fleet.agents.isEmpty else {
            return print("There is no camera below \(options.baseTopic)/ at \(options.host):\(options.port).")
        }
        var table = TextTable(["CAMERA", "STATE", "MODEL", "ZOOM", "RECORDING", "LAST ERROR"])
        for row in names.map({ Row($0, fleet) }) {
            let reason = row.reason.map { ": \($0)" } ?? ""
            table.add([
                "\(row.agent)/\(row.camera)", row.state + reason, row.model ?? "",
                row.zoom.map { plain($0) + "×" } ?? "", row.recording ?? "",
                row.lastError.map { "\($0.code.rawValue): \($0.message.printable)" } ?? "",
            ])
        }
        // An agent without a camera is there too.
        for (agent, known) in fleet.agents.sorted(by: { $0.key < $1.key })
        where options.camera == nil && !names.contains(where: { $0.agent == agent }) {
            table.add(["\(agent)/", known.availability?.state.rawValue ?? "unknown", "", "", "", ""])
        }
        table.print()
    }

    /// A camera, as `--json` has it.
    private struct Row: Encodable {
        let agent, camera, state: String
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
            (recording, path) = (known?.recording?.state.rawValue, known?.recording?.path?.printable)
            lastError = known?.trouble?.error
        }
    }
}
