internal import Base
internal import Bus
internal import Contract
internal import Fleet

extension CtlSession {
    /// Prints the cameras of all agents, or the selected ones, with their states.
    ///
    /// - Returns: the exit code.
    package static func list(_ options: CtlOptions, _ surroundings: any Surroundings) -> Int32 {
        let session = CtlSession(
            options, surroundings,
            FleetNeeds(
                agent: options.agent, camera: options.camera,
                required: ["availability", "info", "zoom", "recording", "desired"]))
        do throws(Ending) {
            let table = try session.listed()
            table.lines.forEach(session.output)
        } catch {
            return session.report(error)
        }
        guard let note = session.incompleteNote else { return 0 }
        session.printError(text: note)
        return 1
    }

    private func listed() throws(Ending) -> FleetTable {
        let cameras: [CameraAddress]
        if let group = options.group {
            cameras = try settledMembers(of: group, asksAlways: false)
        } else {
            try settle()
            try checkSelectedAgent()
            cameras = fleet.addresses
        }
        let table = FleetTable(fleet, cameras, options, at: now)
        if table.isEmpty, let camera = options.camera, !fleet.agents.isEmpty {
            let all = fleet.agents.flatMap { agent, known in
                (known.cameraNames ?? []).map { "\(agent)/\($0)" }
            }
            let others = all.isEmpty ? "" : "; there is \(all.sorted().listed(atMost: 8))"
            throw .failed(.badTopic, "There is no camera \(camera)\(others).")
        }
        return table
    }
}
