internal import ArgumentParser
internal import Contract
internal import Ctl

/// `ctl privacy`
struct CtlPrivacy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy",
        abstract: "Makes a camera private: its device is closed until privacy is off again.",
        discussion: """
            v4l2mqtt ctl privacy on    returns when previews and recordings have ended and the device is closed
            v4l2mqtt ctl privacy off   returns when the device is there again, or is known to be away
            """)

    @OptionGroup var options: BusOptions

    @Argument(help: "on closes the device, off opens it again.")
    var action: CtlRecord.Switch

    func run() throws {
        let state: PrivacySet = action == .on ? .on : .off
        try options.run(.command(.privacy, ["state": .text(state.rawValue)]))
    }
}
