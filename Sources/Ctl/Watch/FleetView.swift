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

    package init() {}

    /// The number of cameras that a terminal of this height can show.
    static func capacity(rows: Int) -> Int { max(1, rows - 4) }

    /// The page: as many lines as the terminal has rows. The terminal cuts the table at its right edge.
    ///
    /// - Parameters:
    ///   - addresses: the cameras that are listed.
    ///   - now: the time of day, for recordings.
    ///   - instant: the same time, for agents that are silent.
    package func lines(
        _ fleet: CtlFleet, _ addresses: [CameraAddress], rows: Int, now: Date,
        at instant: ContinuousClock.Instant = .now
    ) -> [ScreenLine] {
        let online = addresses.count { fleet.presence(of: $0, at: instant).state == .online }
        let shown = addresses.dropFirst(scrolled).prefix(Self.capacity(rows: rows))
        var lines = [
            ScreenLine("\(title): \(online) of \(addresses.count) online", .bold),
            newestFailure(fleet, addresses).map { ScreenLine($0, .yellow) } ?? ScreenLine(),
        ]
        lines += FleetTable(fleet, watched: shown, at: instant, now).screenLines
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

    /// The newest error in full: the table may be cut.
    private func newestFailure(_ fleet: CtlFleet, _ addresses: [CameraAddress]) -> String? {
        let all = addresses.compactMap { address in
            fleet[address]?.facts.lastFailure.map { (address, $0) }
        }
        return all.max { $0.1.time < $1.1.time }.map { "\($0) \($1.text)" }
    }
}
