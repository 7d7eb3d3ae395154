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
        pending = f("pending", \.pending, .count, "Photos that were requested and aren't made yet.")
        counter = f("counter", \.counter, .count, "Photos that were taken, also before a restart.")
        last = f("last", \.last, .any, "The newest photo; null: there is none.")
        pressed = f("pressed", \.pressed, .each(.any), "The buttons that are held down.")
    }
}
