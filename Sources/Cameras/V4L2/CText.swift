internal import Base

/// The text in a C array, which Swift imports as a tuple.
func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

/// The text in a C array that a device has filled. A device can claim any name, so only what is printable is
/// kept.
func deviceText<Characters>(_ characters: Characters) -> String { text(characters).onlyPrintable }
