internal import ArgumentParser
internal import Ctl

/// `ctl controls`
struct CtlControls: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controls",
        abstract: "Lists the camera's controls, or sets some: all of the given ones or none.",
        discussion: """
            v4l2mqtt ctl controls
            v4l2mqtt ctl controls brightness 100 autofocus off
            v4l2mqtt ctl controls brightness=100 color_effects=Sepia
            """)

    @OptionGroup var options: BusOptions

    @OptionGroup var time: TimeOptions

    @Argument(
        help: ArgumentHelp(
            "A control, and after a blank or = its value: a number, on or off, or the title of an option.",
            valueName: "name value"),
        completion: Completions.controls)
    var words: [String] = []

    private func settings() throws -> [ControlSetting] {
        do {
            return try ControlSetting.parse(words)
        } catch {
            throw ValidationError(error.message)
        }
    }

    func validate() throws {
        if try settings().isEmpty && time.time != nil {
            throw ValidationError("The list of controls takes neither --in nor --at.")
        }
    }

    func run() throws {
        let settings = try settings()
        try options.run(settings.isEmpty ? .listControls : .setControls(settings), time)
    }
}
