/// Ends the run in words when something that must hold doesn't; libFuzzer then keeps the input.
///
/// Not `precondition`: an optimised build drops its message.
func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
    if !holds { fatalError(otherwise()) }
}

/// The bytes of libFuzzer's next input.
func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
}
