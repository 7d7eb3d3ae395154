internal import ArgumentParser
internal import Ctl

/// `ctl cancel`
struct CtlCancel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels a command that waits for its time.",
        discussion: """
            v4l2mqtt ctl capture --group stage --in 5m --id take-1
            v4l2mqtt ctl cancel take-1 --group stage

            Only the client that has sent a command can cancel it: with --client, give the same name.
            """)

    @OptionGroup var options: BusOptions

    @Argument(help: "The command's id.")
    var id: String

    func validate() throws {
        guard CtlOptions.isCommandID(id) else { throw ValidationError("ID is 1 to 64 bytes.") }
    }

    func run() throws { try options.run(.cancel(id)) }
}
