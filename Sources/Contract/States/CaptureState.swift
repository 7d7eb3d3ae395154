package import Settings

/// The state of `capture`.
package struct CaptureState: Sendable, Equatable {
    var pending: Int
    var counter: Int
    var last: PhotoFields?
    var pressed: [ButtonRole]

    package init(pending: Int, counter: Int, last: PhotoFields?, pressed: [ButtonRole]) {
        (self.pending, self.counter, self.last, self.pressed) = (pending, counter, last, pressed)
    }
}

extension CaptureState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        pending = f("pending", \.pending, .count, "Photos requested and not done.")
        counter = f("counter", \.counter, .count, "Photos taken, over all starts.")
        last = f("last", \.last, .any, "The newest.")
        pressed = f("pressed", \.pressed, .each(.any), "Buttons that are held.")
    }
}
