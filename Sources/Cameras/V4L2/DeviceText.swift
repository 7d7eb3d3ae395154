internal import Base

/// The text in a C array that a device has filled. A device can claim any name, so only what is printable is
/// kept.
func deviceText<Characters>(_ characters: Characters) -> String { String(ofC: characters).onlyPrintable }
