internal import Glibc

/// A system call that a loop depends on has failed.
package struct LoopError: Error, CustomStringConvertible {
    /// The call's name.
    package let call: String
    /// Its `errno`.
    package let code: Int32

    package init(call: String, code: Int32) { (self.call, self.code) = (call, code) }

    package var description: String { "\(call): \(String(cString: strerror(code)))" }
}
