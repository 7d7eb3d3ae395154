/// The checks of all decoders of bytes from outside, by name: each reads any input, and notes what does not
/// hold. `Tests/Fuzz/corpus` and `Tests/Fuzz/dictionaries` have the same names.
package let decoders: [String: @Sendable ([UInt8]) -> Void] = [
    "access": checkAccess,
    "commands": checkCommands,
    "configuration": checkConfiguration,
    "ctl": checkCtl,
    "discovery": checkDiscovery,
    "frames": checkFrames,
    "overrides": checkOverrides,
    "pages": checkPages,
    "photos": checkPhotos,
    "state": checkState,
    "topics": checkTopics,
]
