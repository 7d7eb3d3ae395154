/// The payload of the commands of one node.
package protocol CommandForm: Form, Equatable, Sendable {
    /// Whether the command is admitted.
    var policy: CommandPolicy { get }
    /// The command that an empty payload stands for; nil: an empty payload is an error.
    static var ofEmptyPayload: Self? { get }
    /// Whether the node gives `ttl_ms` a meaning of its own, instead of the command's time to live.
    static var redefinesTTL: Bool { get }
    /// Whether a command of the node can have the time at which it is carried out.
    static var mayWait: Bool { get }
    /// Reads a short form that isn't JSON, such as ON; nil: the node has no such short form.
    init?(shortForm word: String)
    /// What JSON that isn't an object can be.
    static var bare: [FieldKind] { get }
    /// Reads JSON that isn't an object, if the node accepts it; nil: the node requires an object.
    init?(bare part: JSON) throws(CommandError)

    /// Reads a payload. For any bytes, the result is the command or the error. A requirement, so that it is
    /// compiled for each type.
    static func receive(_ payload: [UInt8]) -> (Envelope, Result<any CommandForm, CommandError>)
}

extension CommandForm {
    package static var ofEmptyPayload: Self? { nil }
    package static var redefinesTTL: Bool { false }
    package static var mayWait: Bool { false }
    package static var bare: [FieldKind] { [] }
    package init?(shortForm word: String) { return nil }
    package init?(bare part: JSON) throws(CommandError) { return nil }
}

/// The payload of a node that can be switched: its short forms are ON and OFF, and in JSON also `true` and
/// `false`.
package protocol SwitchForm: CommandForm {
    init(isOn: Bool)
}

extension SwitchForm {
    package static var bare: [FieldKind] { [.flag, .words(["ON", "OFF"])] }

    package init?(bare part: JSON) throws(CommandError) {
        switch part {
        case .flag(let isOn): self.init(isOn: isOn)
        case .text(let text): self.init(shortForm: text)
        default: return nil
        }
    }

    package init?(shortForm word: String) {
        guard let isOn = Bool(onOrOff: word) else { return nil }
        self.init(isOn: isOn)
    }
}

extension Bool {
    /// ON or OFF, in capitals or not. Byte by byte: in Unicode there are other letters whose capitals are
    /// these, such as "ﬀ".
    init?(onOrOff word: String) {
        let capitals = word.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        if capitals == Array("ON".utf8) {
            self = true
        } else if capitals == Array("OFF".utf8) {
            self = false
        } else {
            return nil
        }
    }
}

// MARK: For documents

/// The fields of a node's commands.
package struct CommandDescription {
    package let form: FormDescription
    /// The fields that all commands of the node have.
    package private(set) var envelope: FormDescription
    /// The command that cancels one which waits for its time; nil: none waits.
    package let cancel: FormDescription?
    /// What JSON that isn't an object can be.
    package let bare: [FieldKind]
    /// Whether an empty payload is a command.
    package let mayBeEmpty: Bool
    /// Which payload that isn't JSON is a command.
    package let word: Word?

    package enum Word { case onOrOff, any }

    init<Command: CommandForm>(_ command: Command.Type) {
        form = Command.description
        envelope = Envelope.Fields<Command>.description
        cancel = Command.mayWait ? Envelope.Cancel.description : nil
        (bare, mayBeEmpty) = (Command.bare, Command.ofEmptyPayload != nil)
        word =
            Command(shortForm: "word") != nil ? .any : Command(shortForm: "ON") != nil ? .onOrOff : nil
    }

    /// `refresh/set` is no node of a camera: it has no `if_rev`.
    package static var ofRefresh: Self {
        var description = Self(RefreshSet.self)
        description.envelope.fields.removeAll { $0.name == "if_rev" }
        return description
    }
}
