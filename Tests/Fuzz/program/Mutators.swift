import Decoders

/// libFuzzer's own mutation, of bytes that mean nothing to it.
@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

/// What libFuzzer calls for a new input.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
    switch Fuzz.name {
    case "commands", "state": mutateJSON(bytes, count, most, seed)
    case "photos": mutatePhoto(bytes, count, most, seed)
    default: mutateBytes(bytes, count, most)
    }
}

/// Every third time only the request is another one, every third time only the picture.
private func mutatePhoto(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
) -> Int {
    let head = PictureRequest.length
    guard count > head, most > head else { return mutateBytes(bytes, count, most) }
    switch seed % 3 {
    case 0:
        // What gets shorter isn't taken away: the picture is to stay where it is.
        _ = mutateBytes(bytes, head, head)
        return count
    case 1: return head + mutateBytes(bytes + head, count - head, most - head)
    default: return mutateBytes(bytes, count, most)
    }
}

/// Every other time a value in the JSON becomes another one, of another type or at the end of its range. By
/// itself libFuzzer seldom replaces a whole value, and most of what it makes isn't JSON any more.
private func mutateJSON(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
) -> Int {
    guard seed & 1 == 0 else { return mutateBytes(bytes, count, most) }
    let text = UnsafeBufferPointer(start: bytes, count: count)
    let starts = text.indices.filter { ":[,".utf8.contains(text[$0]) }
    guard !starts.isEmpty else { return mutateBytes(bytes, count, most) }
    let start = starts[Int(seed >> 1) % starts.count] + 1
    let end = text[start...].firstIndex { ",]}".utf8.contains($0) } ?? count
    let value = values[Int(seed >> 8) % values.count].utf8
    let changed = text[..<start] + Array(value) + text[end...]
    guard changed.count <= most else { return mutateBytes(bytes, count, most) }
    for (place, byte) in changed.enumerated() { bytes[place] = byte }
    return changed.count
}

private let values = [
    "0", "-0.0", "-1", "1", "2", "0.5", "65", "1e2", "1e18", "1e300", "-1e300", "5e-324",
    "1.7976931348623157e308",
    "9007199254740993", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "null", "true",
    "false",
    #""""#, #""a""#, #""\u0000""#, #""\ud83d\ude00""#, #""a\u0301\u0301""#, #""2026-01-31T12:00:00.5+01:00""#,
    "{}",
    "[]", "[{}]", #"{"a":1}"#, #"{"x":0,"y":1}"#, "\"\(String(repeating: "n", count: 64))\"",
    "\"\(String(repeating: "n", count: 65))\"",
]
