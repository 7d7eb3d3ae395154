internal import Contract

// The payloads of commands, as `ctl` writes them.

extension JSONObject {
    /// A command of `controls`, whose fields are named by the camera's controls.
    init(controls values: [String: ControlValue]) {
        self.init()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where !Envelope.names.contains(name) {
            self[name] =
                switch value {
                case .number(let number): .number(number)
                case .flag(let flag): .flag(flag)
                case .text(let text): .text(text)
                }
        }
    }

    /// The command with its sender, and the time at which it is to be carried out.
    ///
    /// - Parameter id: new for each command of a client; its answer has it too.
    func sent(as id: String, _ options: CtlOptions) -> JSONObject {
        var command: JSONObject = ["id": .text(id), "client": .text(options.client)]
        if let time = options.time {
            command["at"] = .text(time.text(at: options.wallClock()))
            if options.usesAnyClock { command["at_any_clock"] = .flag(true) }
        }
        for field in members { command[field.name] = field.value }
        return command
    }
}
