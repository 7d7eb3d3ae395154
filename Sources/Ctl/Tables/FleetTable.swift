package import Base
package import Contract
internal import Fleet
internal import ZoomModel

/// The output of `ctl list`: a row for each camera, and for each agent without a camera.
package struct FleetTable {
    private let rows: [Row]
    private let options: CtlOptions

    /// - Parameters:
    ///   - cameras: those that are listed.
    ///   - now: the present time: an agent may have been silent for too long.
    package init(
        _ fleet: CtlFleet, _ cameras: [CameraAddress], _ options: CtlOptions,
        at now: ContinuousClock.Instant = .now
    ) {
        var rows = cameras.map { Row($0.agent, $0, fleet, at: now) }
        // An agent without a camera is in no group.
        if options.group == nil, options.camera == nil {
            let others = Set(fleet.agents.keys).subtracting(cameras.map(\.agent))
            rows += others.map { Row($0, nil, fleet, at: now) }
        }
        self.rows = rows.sorted { ($0.agent, $0.camera ?? "") < ($1.agent, $1.camera ?? "") }
        self.options = options
    }

    var isEmpty: Bool { rows.isEmpty }

    package var lines: [PrintableLine] {
        if options.json { return [JSON.line(JSON.list(rows.map(\.json)))] }
        guard !rows.isEmpty else {
            return ["There is no camera below \(options.baseTopic)/ at \(options.endpoint)."]
        }
        // Most brokers have no configuration of the fleet.
        let hasFleet = rows.contains { $0.fleet != nil }
        let hasNames = rows.contains { $0.name != nil }
        var table = TextTable(
            ["CAMERA"] + (hasNames ? ["NAME"] : []) + ["STATE", "MODEL", "ZOOM", "RECORDING"]
                + (hasFleet ? ["FLEET"] : []) + ["LAST ERROR"])
        for row in rows {
            let reason = row.reason.map { ": \($0)" } ?? ""
            var cells = ["\(row.agent)/\(row.camera ?? "")"] + (hasNames ? [row.name ?? ""] : [])
            cells += [
                row.state + reason, row.model ?? "",
                row.zoom.map { $0.roundedText + "×" } ?? "", row.recording ?? "",
            ]
            if hasFleet { cells.append(row.fleet?.cell ?? "") }
            table.add(cells + [row.lastError?.text ?? ""])
        }
        return table.lines + remarks
    }

    /// A line for each agent with a problem, with a name that is used twice, or with a refused configuration
    /// of the fleet, and for each camera with an error.
    private var remarks: [PrintableLine] {
        var remarks: [(name: String, text: String)] = []
        var last: String?
        for row in rows {
            if let error = row.error { remarks.append(("\(row.agent)/\(row.camera ?? "")", error)) }
            guard row.agent != last else { continue }
            last = row.agent
            if let problem = row.problem { remarks.append((row.agent, problem)) }
            if let other = row.sameName {
                let host = other.host.map { " (\($0))" } ?? ""
                remarks.append(
                    (row.agent, "another device\(host) uses this name too, last seen at \(other.at)"))
            }
            if let text = row.fleet?.refusal { remarks.append((row.agent, text)) }
        }
        return remarks.onceEach("agents").map { PrintableLine($0) }
    }

    /// A camera, or an agent without a camera.
    private struct Row {
        let agent: String
        let camera: String?
        let state: String
        let reason, error, name, model, serial: String?
        let zoom: Double?
        /// `idle`, `starting`, `recording` or `finishing`.
        let recording, path: String?
        let lastError: CommandError?
        /// Of the agent.
        let fleet: FleetFields?
        let sameName: SameNameFields?
        let problem: String?

        /// - Parameter address: nil: the agent has no camera.
        init(
            _ agent: String, _ address: CameraAddress?, _ fleet: CtlFleet, at now: ContinuousClock.Instant
        ) {
            let known = address.flatMap { fleet[$0] }
            let presence =
                address.map { fleet.presence(of: $0, at: now) } ?? fleet.presence(of: agent, at: now)
            (self.agent, camera) = (agent, address?.camera)
            (state, reason) = (presence.state?.rawValue ?? "unknown", presence.reason)
            error = presence.reason == nil ? nil : known?.availability?.error
            let agentInfo = fleet.agents[agent]?.facts.info
            let facts = known?.facts
            name = address == nil ? agentInfo?.name : facts?.info?.name
            (model, serial) = (facts?.info?.model, facts?.info?.serial)
            zoom = facts?.zoom?.factor
            // The retained state of a camera that is not online may be out of date.
            let recordingNow = presence.state == .online ? facts?.recording : nil
            (recording, path) = (recordingNow?.state.rawValue, recordingNow?.path)
            lastError = facts?.lastFailure?.error
            (self.fleet, sameName, problem) = (agentInfo?.fleet, agentInfo?.sameName, agentInfo?.problem)
        }

        /// As `--json` prints it.
        var json: JSON {
            .object([
                "agent": .text(agent), "camera": camera.map(JSON.text), "state": .text(state),
                "reason": reason.map(JSON.text), "error": error.map(JSON.text), "name": name.map(JSON.text),
                "model": model.map(JSON.text),
                "serial": serial.map(JSON.text), "zoom": zoom.map(JSON.number),
                "recording": recording.map(JSON.text), "path": path.map(JSON.text), "fleet": fleet?.json,
                "problem": problem.map(JSON.text), "last_error": lastError?.json, "same_name": sameName?.json,
            ])
        }
    }
}

extension FleetFields {
    /// The version in effect, and the newer one that is refused, as in `7, not 8`.
    fileprivate var cell: String {
        let number = version.map { "\($0)" } ?? "none"
        return refused == nil ? number : "\(number), not \(refusedNumber)"
    }

    private var refusedNumber: String { refused?.version.map { "\($0)" } ?? "the newest" }

    /// Why a newer version is not in effect; nil: none is refused.
    fileprivate var refusal: String? {
        guard let refused else { return nil }
        let field = refused.error.field.map { "\($0): " } ?? ""
        let number = refused.version.map { " \($0)" } ?? ""
        return
            "fleet/config\(number) is refused: \(refused.error.code.rawValue): \(field)\(refused.error.message)"
    }
}
