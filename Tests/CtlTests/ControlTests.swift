import Base
import Ctl
import Testing

@testable import Contract

/// `ctl controls`: what its words mean, and what it prints.
@Suite struct ControlTests {
    private let table = ControlTable(info, state: controlsState)

    private func parsed(_ words: String...) throws -> [String] {
        try ControlSetting.parse(words).map { "\($0.name)=\($0.value)" }
    }

    private func value(_ name: String, _ value: String) throws -> ControlValue? {
        try table?.values(of: [ControlSetting(name: name, value: value)])[name]
    }

    @Test func namesAndValuesInOneWordOrTwo() throws {
        #expect(
            try parsed("brightness=12", "exposure_bias", "-1", "title", "a=b", "x=") == [
                "brightness=12", "exposure_bias=-1", "title=a=b", "x=",
            ])
        #expect(try parsed() == [])
    }

    @Test(arguments: [
        (["brightness"], "brightness lacks a value, as in brightness 1 or brightness=1."),
        (["=3"], "No control is called \"\"."), (["id=3"], "No control is called \"id\"."),
        (["brightness=1", "brightness", "2"], "brightness is given twice."),
    ]) func wordsThatAreNoSettings(words: [String], expected: String) {
        #expect(throws: CommandError(.badPayload, expected)) { try ControlSetting.parse(words) }
    }

    @Test func valuesAreConvertedForTheirControl() throws {
        #expect(try value("brightness", "12.5") == .number(12.5))
        #expect(try value("autofocus", "OFF") == .flag(false))
        #expect(try value("autofocus", "1") == .flag(true))
        #expect(try value("color_effects", "sepia") == .number(2))
        #expect(try value("color_effects", "0") == .number(0))
        #expect(try value("unknown", "on") == .flag(true))
        #expect(try value("unknown", "7") == .number(7))
    }

    @Test(arguments: [
        ("brightness", "bright", #"brightness takes 0…255; found "bright"."#),
        ("brightness", "on", #"brightness takes 0…255; found "on"."#),
        ("brightness", "nan", #"brightness takes 0…255; found "nan"."#),
        ("autofocus", "maybe", #"autofocus takes on, off; found "maybe"."#),
        ("color_effects", "pink", #"color_effects takes 0 None, 2 Sepia; found "pink"."#),
        ("unknown", "x", #"unknown takes a number, on or off; found "x"."#),
    ]) func valuesThatAControlCannotHave(name: String, word: String, expected: String) {
        #expect(throws: CommandError(.badPayload, expected)) { try value(name, word) }
    }

    @Test func theTableHasValueRangeAndReason() {
        #expect(
            table?.lines(json: false) == [
                "NAME           VALUE    RANGE            UNIT  DEFAULT  TITLE",
                "brightness     77       0…255            -     128      Brightness",
                "autofocus      off      on, off          -     on       Autofocus",
                "color_effects  2 Sepia  0 None, 2 Sepia  -     0 None   Effects     disabled: busy",
            ])
    }

    @Test func asJSONEachControlHasItsDescriptionAndValue() throws {
        let line = try #require(table?.lines(json: true).first)
        let rows = try #require(JSON(Array(line.text.utf8))?.list).map { $0.object ?? [:] }
        #expect(rows.map { $0["name"]?.text } == ["brightness", "autofocus", "color_effects"])
        #expect(rows.map { $0["value"] } == [.integer(77), .flag(false), .integer(2)])
        #expect(rows[0]["kind"]?.text == "slider")
    }

    @Test func aCameraWithoutControlsAndUnreadableStates() {
        #expect(
            ControlTable(cameraInfo(), state: controlsState)?.lines(json: false)
                == ["The camera has no controls."])
        #expect(ControlTable(nil, state: controlsState) == nil)
        #expect(ControlTable(info, state: []) == nil)
    }
}
