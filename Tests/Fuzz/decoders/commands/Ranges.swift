import Contract
import TestSupport
import ZoomModel

/// The values of a command are as the description of its form has them, from which the schemas follow.
func check(_ body: Command.Body, of node: Node) {
    let description =
        if case .cancel = body { node.command.cancel } else { node.command.form as FormDescription? }
    guard let object = JSON(form(of: body))?.object, let description else {
        return expect(false, "\(node): \(body) is no command")
    }
    let objection = description.objection(to: object)
    expect(objection == nil, "\(node): \(objection ?? "")")
    if case .desired(let command) = body, case .by? = command.zoom?.target {
        expect(false, "a step is desired")
    }
}
