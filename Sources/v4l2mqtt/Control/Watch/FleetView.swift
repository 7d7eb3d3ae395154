internal import FoundationEssentials
internal import Messages

/// The cameras of a fleet as lines of a full screen.
struct FleetView {
    /// What stands above the table.
    var title = ""
    /// What is wrong with the connection, if something is.
    var trouble: String?
    var hasColours = true
    /// How many cameras were scrolled away at the top.
    var scrolled = 0

    /// Widths of the columns; those that grow share what the others leave.
    private struct Widths {
        let camera, bar, who, error: Int
        static let state = 7, zoom = 15, recording = 9

        init(columns: Int, longestName: Int) {
            camera = min(max(longestName, 6), max(6, columns / 4))
            // One blank after each of the six columns before the last.
            let left = columns - camera - Self.state - Self.zoom - Self.recording - 6
            // In a narrow terminal the bar goes first, then who it was.
            bar = left < 24 ? 0 : min(max(left / 4, 8), 30)
            who = left < 10 ? 0 : min(max((left - bar) / 2, 8), 24)
            error = left - bar - who < 6 ? 0 : left - bar - who
        }
    }

    /// How many cameras there is room for.
    static func room(rows: Int) -> Int { max(1, rows - 4) }

    func lines(_ fleet: Fleet, columns: Int, rows: Int, now: Date) -> [String] {
        let names = fleet.names
        let widths = Widths(
            columns: columns, longestName: names.map { $0.agent.count + $0.camera.count + 1 }.max() ?? 0)
        let online = names.count { fleet.availability(of: $0).state == .online }
        var lines = [
            ScreenLine("\(title): \(online) of \(names.count) online", .bold),
            newestTrouble(fleet).map { ScreenLine($0, .yellow) } ?? ScreenLine(), heading(widths),
        ]
        let room = Self.room(rows: rows)
        let shown = names.dropFirst(scrolled).prefix(room)
        lines += shown.map { line($0, fleet, widths, now) }
        if names.isEmpty { lines.append(ScreenLine("No camera yet.", .faint)) }
        while lines.count < rows - 1 { lines.append(ScreenLine()) }
        let above = min(scrolled, names.count)
        let below = names.count - above - shown.count
        let more = [above > 0 ? "\(above) more above" : nil, below > 0 ? "\(below) more below" : nil]
            .compactMap { $0 }.joined(separator: ", ")
        lines.append(
            trouble.map { ScreenLine($0, .red) }
                ?? ScreenLine(more.isEmpty ? "q quits" : "q quits, arrows scroll: \(more)", .faint))
        return lines.prefix(max(1, rows)).map { $0.text(columns: columns, hasColours: hasColours) }
    }

    /// In full, as the column is too narrow for most.
    private func newestTrouble(_ fleet: Fleet) -> String? {
        let all = fleet.cameras.compactMap { name, camera in camera.trouble.map { (name, $0) } }
        guard let (name, trouble) = all.max(by: { $0.1.time < $1.1.time }) else { return nil }
        return "\(name.agent)/\(name.camera) \(trouble.words)"
    }

    private func heading(_ widths: Widths) -> ScreenLine {
        var line = ScreenLine()
        line.add("CAMERA", .bold, width: widths.camera)
        line.add("STATE", .bold, width: Widths.state)
        line.add("ZOOM", .bold, width: Widths.zoom)
        line.add("", width: widths.bar)
        line.add("MOVED BY", .bold, width: widths.who)
        line.add("RECORDING", .bold, width: Widths.recording)
        line.add("LAST ERROR", .bold, width: widths.error)
        return line
    }

    private func line(_ name: Fleet.Name, _ fleet: Fleet, _ widths: Widths, _ now: Date) -> ScreenLine {
        let camera = fleet.cameras[name]
        let there = fleet.availability(of: name)
        var line = ScreenLine()
        line.add("\(name.agent)/\(name.camera)", width: widths.camera)
        line.add(
            there.state?.rawValue ?? "unknown", there.state == .online ? .green : .red, width: Widths.state)
        let zoom = camera?.zoom
        line.add(zoom?.words ?? "-", width: Widths.zoom)
        line.add(zoom?.bar(of: widths.bar) ?? "", width: widths.bar)
        line.add(zoom?.mover ?? "-", width: widths.who)
        // What is away is recording no more, or nobody knows.
        let recording = there.state == .online ? camera?.recording?.words(at: now) ?? "" : ""
        line.add(
            recording.isEmpty ? "-" : recording, recording.isEmpty ? .none : .red, width: Widths.recording)
        let error = camera?.trouble?.words
        line.add(error ?? there.reason ?? "-", error == nil ? .none : .yellow, width: widths.error)
        return line
    }
}

extension Fleet.Camera.Trouble {
    fileprivate var words: String {
        let who = client.map { " (\($0.printable))" } ?? ""
        return "\(error.code.rawValue)\(who): \(error.message.printable)"
    }
}

extension RecordingState {
    /// How long it has been recording; empty when it isn't.
    fileprivate func words(at now: Date) -> String {
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
