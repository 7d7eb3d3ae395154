import Messages

/// White space, which makes any payload too long for the reader of small objects.
private let padding = [UInt8](repeating: 0x20, count: 1024)

/// What is read as a small object is read as Jansson reads it.
func checkSmallObject(_ payload: [UInt8]) {
    guard SmallObject(payload) != nil else { return }
    let longer = payload + padding
    expect(JSON.isObject(longer), "a small object is none for Jansson")
    for node in Node.allCases {
        let small = Command(for: node, payload: payload)
        let whole = Command(for: node, payload: longer)
        expect(
            small.envelope == whole.envelope, "\(node): \(small.envelope) is \(whole.envelope) for Jansson")
        expect(small.body == whole.body, "\(node): \(small.body) is \(whole.body) for Jansson")
    }
}
