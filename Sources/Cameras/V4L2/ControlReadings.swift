internal import CV4L2

/// A device's controls as they are known: as they were read, and as events have changed them since.
struct ControlReadings: Sendable, Equatable {
    private(set) var map: ControlMap
    /// The last value from events. Some drivers keep returning an older value when the control is read.
    private var events: [UInt32: Int64] = [:]

    init(_ map: ControlMap) { self.map = map }

    var list: [Control] { map.list }

    /// The control that has the camera's encoder send a key frame; nil: there is none that can be set.
    var keyFrameControl: UInt32? {
        guard let control = map[cv4l2_force_key_frame]?.control, !control.isDisabled, !control.isReadOnly
        else { return nil }
        return control.id
    }

    /// The value of a control according to the last event; nil: there was none since it was set.
    func eventValue(of id: UInt32) -> Int64? { events[id] }

    /// All controls were read. Returns whether something changed.
    mutating func read(_ now: ControlMap) -> Bool {
        let before = map.entries
        map = now
        for (id, value) in events { _ = map.note(value, of: id) }
        return map.entries != before
    }

    /// These controls were set: values of earlier events are out of date.
    mutating func wereSet(_ names: some Sequence<String>, _ now: ControlMap) {
        for name in names {
            if let entry = now[name] { events[entry.control.id] = nil }
        }
        _ = read(now)
    }

    /// An event came. Returns whether the value is another one.
    mutating func event(_ value: Int64, of id: UInt32) -> Bool {
        events[id] = value
        return map.note(value, of: id)
    }

    /// A control was read alone.
    mutating func note(_ value: Int64, of id: UInt32) { _ = map.note(value, of: id) }

    mutating func forgetEvents(of id: UInt32) { events[id] = nil }
}
