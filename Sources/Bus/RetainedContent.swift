/// What is retained on a topic.
///
/// Few messages have properties, which are large: they are kept outside, so that the table of many thousand
/// topics stays small.
enum RetainedContent {
    case bytes([UInt8])
    indirect case described([UInt8], BusProperties)
    /// The function makes the bytes each time they are sent.
    case made(by: () -> [UInt8])

    var value: (payload: [UInt8], properties: BusProperties?) {
        switch self {
        case .bytes(let bytes): (bytes, nil)
        case .described(let bytes, let properties): (bytes, properties)
        case .made(let make): (make(), nil)
        }
    }

    /// With the bytes in an array of their size if more than a fifth of the array is spare room. Messages are
    /// kept until a newer one replaces them; an encoder's array is up to twice as long as its message.
    var withoutSpareRoom: Self {
        switch self {
        case .bytes(let bytes): .bytes(Self.shortened(bytes))
        case .described(let bytes, let properties): .described(Self.shortened(bytes), properties)
        case .made: self
        }
    }

    private static func shortened(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.capacity - bytes.count > bytes.capacity / 5 else { return bytes }
        return [UInt8](unsafeUninitializedCapacity: bytes.count) { copy, count in
            count = copy.initialize(fromContentsOf: bytes)
        }
    }
}
