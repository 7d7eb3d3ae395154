internal import ArgumentParser
internal import Contract

/// The controller on the command line.
struct CtlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl",
        abstract: "Controls cameras on the bus, and watches them.",
        discussion: """
            A single agent with a single camera is found automatically; otherwise name them with --agent and \
            --camera, or all cameras of a group with --group. The exit code is 0 if the camera, or each camera \
            of the group, executed the command, 1 if one refused, is offline or did not answer.
            """,
        subcommands: [
            CtlZoom.self, CtlPinch.self, CtlCapture.self, CtlRecord.self, CtlPreset.self, CtlControls.self,
            CtlPrivacy.self, CtlLease.self, CtlMedia.self, CtlCancel.self, CtlDesired.self, CtlList.self,
            CtlWatch.self, CtlForget.self,
        ])
}

/// A point on the command line, as in `0.5,0.25`.
struct PointArgument: ExpressibleByArgument {
    let point: JSONObject

    init?(argument: String) {
        let parts = argument.split(separator: ",").compactMap { Double($0) }
        guard parts.count == 2, parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
        point = ["x": .number(parts[0]), "y": .number(parts[1])]
    }
}
