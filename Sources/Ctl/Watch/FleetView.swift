package import Base
package import Contract
internal import Fleet
package import FoundationEssentials

/// The cameras of a fleet as lines of a full screen.
package struct FleetView {
    /// The line above the table.
    package var title = ""
    /// The error of the connection.
    var connectionError: String?
    /// The number of cameras above the first visible one.
    package var scrolled = 0

    /// The widths of the columns. The flexible ones share what the fixed ones leave.
    private struct Widths {
        let camera, bar, origin, error: Int
        static let state = 7, zoom = 15, recording = 9

        init(columns: Int, longestName: Int) {
            camera = min(max(longestName, 6), max(6, columns / 4))
            // A blank follows each of the six columns before the last.
            let left = columns - camera - Self.state - Self.zoom - Self.recording - 6
            // A narrow terminal omits the bar first, then the origin.
            bar = left < 24 ? 0 : min(max(left / 4, 8), 30)
            origin = left < 10 ? 0 : min(max((left - bar) / 2, 8), 24)
            error = left - bar - origin < 6 ? 0 : left - bar - origin
        }
    }

    package init() {}

    /// The number of cameras that a terminal of this height can show.
    static func capacity(rows: Int) -> Int { max(1, rows - 4) }

    /// The page: as many lines as the terminal has rows.
    ///
    /// - Parameters:
    ///   - cameras: those that are listed.
    ///   - now: the time of day, for recordings.
    ///   - instant: the same time, for agents that are silent.
    package func lines(
        _ fleet: CtlFleet, _ addresses: [CameraAddress], columns: Int, rows: Int, now: Date,
        at instant: ContinuousClock.Instant = .now
    ) -> [ScreenLine] {
        let widths = Widths(
            columns: columns, longestName: addresses.map { $0.agent.count + $0.camera.count + 1 }.max() ?? 0)
        let online = addresses.count { fleet.presence(of: $0, at: instant).state == .online }
        var lines = [
            ScreenLine("\(title): \(online) of \(addresses.count) online", .bold),
            newestFailure(fleet, addresses).map { ScreenLine($0, .yellow) } ?? ScreenLine(), heading(widths),
        ]
        let capacity = Self.capacity(rows: rows)
        let shown = addresses.dropFirst(scrolled).prefix(capacity)
        lines += shown.map { line($0, fleet, widths, now, at: instant) }
        if addresses.isEmpty { lines.append(ScreenLine("No camera yet.", .faint)) }
        while lines.count < rows - 1 { lines.append(ScreenLine()) }
        let above = min(scrolled, addresses.count)
        let below = addresses.count - above - shown.count
        let more = [above > 0 ? "\(above) more above" : nil, below > 0 ? "\(below) more below" : nil]
            .compactMap { $0 }.joined(separator: ", ")
        lines.append(
            connectionError.map { ScreenLine($0, .red) }
                ?? ScreenLine(more.isEmpty ? "q quits" : "q quits, arrows scroll: \(more)", .faint))
        return Array(lines.prefix(max(1, rows)))
    }

    /// The newest error in full. The column is too narrow for most.
    private func newestFailure(_ fleet: CtlFleet, _ addresses: [CameraAddress]) -> String? {
        let all = addresses.compactMap { address in
            fleet[address]?.facts.lastFailure.map { (address, $0) }
        }
        guard let (address, failure) = all.max(by: { $0.1.time < $1.1.time }) else { return nil }
        return "\(address) \(failure.text)"
    }

    private func heading(_ widths: Widths) -> ScreenLine {
        var line = ScreenLine()
        line.add("CAMERA", .bold, width: widths.camera)
        line.add("STATE", .bold, width: Widths.state)
        line.add("ZOOM", .bold, width: Widths.zoom)
        line.add("", width: widths.bar)
        line.add("MOVED BY", .bold, width: widths.origin)
        line.add("RECORDING", .bold, width: Widths.recording)
        line.add("LAST ERROR", .bold, width: widths.error)
        return line
    }

    private func line(
        _ address: CameraAddress, _ fleet: CtlFleet, _ widths: Widths, _ now: Date,
        at instant: ContinuousClock.Instant
    ) -> ScreenLine {
        let camera = fleet[address]?.facts
        let presence = fleet.presence(of: address, at: instant)
        var line = ScreenLine()
        line.add("\(address)", width: widths.camera)
        let isOnline = presence.state == .online
        // The reason of a camera that is online: its device is closed on purpose.
        let state = isOnline ? presence.reason ?? "online" : presence.state?.rawValue ?? "unknown"
        line.add(
            state, isOnline ? presence.reason == nil ? .green : .yellow : .red, width: Widths.state)
        let zoom = camera?.zoom
        line.add(zoom?.factorText ?? "-", width: Widths.zoom)
        line.add(zoom?.value.bar(width: widths.bar) ?? "", width: widths.bar)
        line.add(zoom?.originText ?? "-", width: widths.origin)
        // The retained state of a camera that is not online may be out of date.
        let recording = presence.state == .online ? camera?.recording?.value.text(at: now) ?? "" : ""
        line.add(
            recording.isEmpty ? "-" : recording, recording.isEmpty ? .none : .red, width: Widths.recording)
        let error = camera?.lastFailure?.text
        line.add(error ?? presence.reason ?? "-", error == nil ? .none : .yellow, width: widths.error)
        return line
    }
}

extension CameraFacts.Failure {
    fileprivate var text: String {
        let sender = client.map { " (\($0))" } ?? ""
        return "\(error.code.rawValue)\(sender): \(error.message)"
    }
}

extension RecordingState {
    /// The time since the start of the recording; empty when idle.
    fileprivate func text(at now: Date) -> String {
        switch state {
        case .idle: return ""
        case .starting: return "starting"
        case .finishing: return "finishing"
        case .recording:
            let seconds = startedAt.flatMap { Timestamp.date($0) }.map { now.timeIntervalSince($0) } ?? 0
            let whole = Int(Swift.min(Swift.max(seconds, 0), 359_999))
            let (minutes, rest) = (whole / 60, whole % 60)
            return "● \(minutes):\(rest < 10 ? "0" : "")\(rest)"
        }
    }
}
