import Base
import Glibc
import TestSupport

@testable import State

/// Opens a file of the state. Other tests start processes; a child holds every lock of this process until it
/// runs another program. Only a test that fails waits for a minute.
func whenUnlocked<Opened>(
    _ open: () throws(StateStoreError) -> Opened
) throws(StateStoreError) -> Opened {
    for _ in 0..<6000 {
        do throws(StateStoreError) {
            return try open()
        } catch .locked {
            usleep(10_000)
        }
    }
    return try open()
}

func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 21)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
}

/// The error that a body throws; nil when it throws none.
func thrown(by body: () throws(StateStoreError) -> Void) -> StateStoreError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

extension StateStoreError {
    static func file(doing: String, path: String, code: Int32) -> StateStoreError {
        .file(FileError(doing: doing, path: path, code: code))
    }
}
