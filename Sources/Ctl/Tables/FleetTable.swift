package import Base
package import Contract
internal import Fleet
internal import FoundationEssentials
internal import ZoomModel

/// The table of `ctl list` and `ctl watch`: a row for each camera, and for each agent without a camera.
package struct FleetTable {
    private var rows: [Row]
    private let options: CtlOptions?
    /// The time of day, for recordings that are watched; nil: the table is not watched.
    private let time: Date?

    /// The output of `ctl list`.
    ///
    /// - Parameters:
    ///   - cameras: those that are listed.
    ///   - now: the present time: an agent may have been silent for too long.
    package init(
        _ fleet: CtlFleet, _ cameras: [CameraAddress], _ options: CtlOptions,
        at now: ContinuousClock.Instant = .now
    ) {
        rows = cameras.map { Row($0.agent, $0, fleet, at: now) }
        // An agent without a camera is in no group.
        if options.group == nil, options.camera == nil {
            let others = Set(fleet.agents.keys).subtracting(cameras.map(\.agent))
            rows += others.map { Row($0, nil, fleet, at: now) }
            rows.sort { ($0.agent, $0.camera ?? "") < ($1.agent, $1.camera ?? "") }
        }
        (self.options, time) = (options, nil)
    }

    /// Cameras as they are watched.
    init(
        _ fleet: CtlFleet, watched cameras: some Sequence<CameraAddress>, at now: ContinuousClock.Instant,
        _ time: Date
    ) {
        rows = cameras.map { Row($0.agent, $0, fleet, at: now) }
        (options, self.time) = (nil, time)
    }

    var isEmpty: Bool { rows.isEmpty }

    package var lines: [PrintableLine] {
        guard let options else { return table.lines }
        if options.json { return [JSON.line(JSON.list(rows.map(\.json)))] }
        guard !rows.isEmpty else {
            return ["There is no camera below \(options.baseTopic)/ at \(options.endpoint)."]
        }
        return table.lines + remarks
    }

    var screenLines: [ScreenLine] { table.screenLines }

    private var table: TextTable {
        typealias Column = (title: String, cell: (Row) -> TextTable.Cell)
        func column(_ title: String, _ text: @escaping (Row) -> String?) -> Column {
            (title, { (text($0) ?? "", .none) })
        }
        var columns = [column("CAMERA") { "\($0.agent)/\($0.camera ?? "")" }]
        if rows.contains(where: { $0.name != nil }) { columns.append(column("NAME", \.name)) }
        columns.append(("STATE", \.stateCell))
        if let time {
            // As wide as most are while the zoom moves.
            columns.append(column("ZOOM           ") { $0.facts?.zoom?.factorText })
            columns.append(("RECORDING", { ($0.recording?.text(at: time) ?? "", .red) }))
            columns.append(column("MOVED BY") { $0.facts?.zoom?.originText })
        } else {
            columns.append(column("MODEL") { $0.facts?.info?.model })
            columns.append(column("ZOOM") { $0.facts?.zoom.map { $0.factor.roundedText + "×" } })
            columns.append(column("RECORDING") { $0.recording?.state.rawValue })
        }
        // Most brokers have no configuration of the fleet.
        if rows.contains(where: { $0.info?.fleet != nil }) {
            columns.append(column("FLEET") { $0.info?.fleet?.cell })
        }
        columns.append(("LAST ERROR", { ($0.facts?.lastFailure?.text ?? "", .yellow) }))
        var table = TextTable(columns.map(\.title))
        for row in rows { table.add(columns.map { $0.cell(row) }) }
        return table
    }

    /// A line for each agent with a problem, with a name that is used twice, or with a refused configuration
    /// of the fleet, and for each camera with an error.
    private var remarks: [PrintableLine] {
        var cameras: [(name: String, text: String)] = []
        var agents: [(name: String, text: String)] = []
        var last: String?
        for row in rows {
            if let error = row.error { cameras.append(("\(row.agent)/\(row.camera ?? "")", error)) }
            guard row.agent != last else { continue }
            last = row.agent
            if let problem = row.info?.problem { agents.append((row.agent, problem)) }
            if let other = row.info?.sameName {
                let host = other.host.map { " (\($0))" } ?? ""
                agents.append(
                    (row.agent, "another device\(host) uses this name too, last seen at \(other.at)"))
            }
            if let text = row.info?.fleet?.refusal { agents.append((row.agent, text)) }
        }
        return (cameras.onceEach("cameras") + agents.onceEach("agents")).map { PrintableLine($0) }
    }

    /// A camera, or an agent without a camera.
    private struct Row {
        let agent: String
        let camera: String?
        let presence: Presence
        /// Why its device can't be used.
        let error: String?
        let facts: CameraFacts?
        /// Of the agent.
        let info: AgentInfo?

        /// - Parameter address: nil: the agent has no camera.
        init(
            _ agent: String, _ address: CameraAddress?, _ fleet: CtlFleet, at now: ContinuousClock.Instant
        ) {
            let known = address.flatMap { fleet[$0] }
            (self.agent, camera) = (agent, address?.camera)
            presence = address.map { fleet.presence(of: $0, at: now) } ?? fleet.presence(of: agent, at: now)
            error = presence.reason == nil ? nil : known?.availability?.error
            (facts, info) = (known?.facts, fleet.agents[agent]?.facts.info)
        }

        private var state: String { presence.state?.rawValue ?? "unknown" }
        var name: String? { camera == nil ? info?.name : facts?.info?.name }

        /// The retained state of a camera that is not online may be out of date.
        var recording: RecordingState? { presence.state == .online ? facts?.recording?.value : nil }

        var stateCell: TextTable.Cell {
            // The reason of a camera that is online: its device is closed on purpose.
            let colour: ScreenLine.Colour =
                presence.state != .online ? .red : presence.reason == nil ? .green : .yellow
            return (state + (presence.reason.map { ": \($0)" } ?? ""), colour)
        }

        /// As `--json` prints it.
        var json: JSON {
            .object([
                "agent": .text(agent), "camera": camera.map(JSON.text), "state": .text(state),
                "reason": presence.reason.map(JSON.text), "error": error.map(JSON.text),
                "name": name.map(JSON.text), "model": (facts?.info?.model).map(JSON.text),
                "serial": (facts?.info?.serial).map(JSON.text),
                "zoom": (facts?.zoom?.factor).map(JSON.number),
                "recording": recording.map { .text($0.state.rawValue) },
                "path": (recording?.path).map(JSON.text), "fleet": info?.fleet?.json,
                "problem": (info?.problem).map(JSON.text), "last_error": facts?.lastFailure?.error.json,
                "same_name": info?.sameName?.json,
            ])
        }
    }
}

extension CameraFacts.Failure {
    var text: String {
        let sender = client.map { " (\($0))" } ?? ""
        return "\(error.code.rawValue)\(sender): \(error.hint)"
    }
}

extension RecordingState {
    /// The time since the start of the recording; empty when idle.
    fileprivate func text(at now: Date) -> String {
        switch state {
        case .idle: return ""
        case .starting, .finishing: return state.rawValue
        case .recording:
            let seconds = startedAt.flatMap { Timestamp.date($0) }.map { now.timeIntervalSince($0) } ?? 0
            let whole = Int(Swift.min(Swift.max(seconds, 0), 359_999))
            let (minutes, rest) = (whole / 60, whole % 60)
            return "● \(minutes):\(rest < 10 ? "0" : "")\(rest)"
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
