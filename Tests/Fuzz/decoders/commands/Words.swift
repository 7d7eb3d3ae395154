import ZoomModel

@testable import Contract

/// A payload that is no object is one of the words and values that the schemas and `schemas/README.md` name.
func checkWord(_ body: any CommandForm, _ payload: [UInt8]) {
    if JSON.isObject(payload) { return }
    let word = String(decoding: payload.filter { !" \n\r\t\"".utf8.contains($0) }, as: UTF8.self)
    // Byte by byte: there are letters of other alphabets whose capitals are ours.
    let isOn = ["ON", "On", "oN", "on"].contains { $0.utf8.elementsEqual(word.utf8) }
    let isOff =
        word.utf8.count == 3 && zip(word.utf8, "off".utf8).allSatisfy { $0 | 0x20 == $1 && $0 >= 0x41 }
    // JSON may write each letter by its number.
    let isEscaped = payload.contains(UInt8(ascii: "\\"))
    switch body {
    case RecordingSet.on: expect(isOn || word == "true" || isEscaped, "\(word) begins a recording")
    case RecordingSet.off: expect(isOff || word == "false" || isEscaped, "\(word) ends a recording")
    case PreviewSet.lease: expect(isOn || word.isEmpty, "\(word) requests a preview")
    case PreviewSet.stop: expect(isOff, "\(word) ends a preview")
    case let command as PrivacyCommand where command.state == .on:
        expect(isOn || word == "true" || isEscaped, "\(word) makes a camera private")
    case is PrivacyCommand: expect(isOff || word == "false" || isEscaped, "\(word) ends the privacy")
    case is ZoomCommand, is SessionSet: break
    case CaptureCommand.photos: break
    default: expect(false, "\(word) is a command: \(body)")
    }
}

/// A remote's word is text that is in the payload, whatever else is, and wherever it is looked for.
func checkRemoteWord(in payload: [UInt8]) {
    let whole = RemoteWord(in: payload, field: [])
    expect(whole == nil || payload.count <= Command.largest, "a word of \(payload.count) bytes")
    if payload.count <= Command.largest, String(validating: payload, as: UTF8.self) != nil,
        JSON(payload) == nil
    {
        // But for the white space round it.
        let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let word = Array(payload.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        expect(Array(whole?.text.utf8 ?? "".utf8) == word, "text isn't the word that it is")
    }
    // Each name in the payload is a place to look for a word; and others, of which there is none.
    let names = payload.split(separator: UInt8(ascii: "\"")).prefix(8)
        .map { String(decoding: $0, as: UTF8.self) }.filter { !$0.utf8.contains(0) }
    for name in names + ["action", ""] {
        check(RemoteWord(in: payload, field: [name]), [name], payload)
        for inner in names { check(RemoteWord(in: payload, field: [name, inner]), [name, inner], payload) }
    }
}

/// A word in a field is read the same from an object that has only this field.
private func check(_ word: RemoteWord?, _ field: [String], _ payload: [UInt8]) {
    guard let word else { return }
    expect(JSON.isObject(payload), "\(field) is found in what is no object")
    let object = field.reversed().reduce(JSON.text(word.text)) { .object([$1: $0]) }
    let again = RemoteWord(in: JSON.bytes(object), field: field)
    expect(again?.text.utf8.elementsEqual(word.text.utf8) == true, "\(field): \(word.text) is read otherwise")
}
