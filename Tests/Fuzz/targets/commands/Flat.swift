import Messages

/// White space, which makes any payload too long for the reader of flat objects.
private let padding = [UInt8](repeating: 0x20, count: 1024)

/// What is read as a flat object is read as Jansson reads it.
func checkFlatObject(_ payload: [UInt8]) {
    guard FlatObject(payload) != nil else { return }
    let longer = payload + padding
    expect(JSON.isObject(longer), "a flat object is none for Jansson")
    for node in Node.allCases {
        let flat = Command(for: node, payload: payload)
        let whole = Command(for: node, payload: longer)
        expect(flat.envelope == whole.envelope, "\(node): \(flat.envelope) is \(whole.envelope) for Jansson")
        expect(flat.body == whole.body, "\(node): \(flat.body) is \(whole.body) for Jansson")
    }
}
