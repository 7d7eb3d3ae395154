import Contract
import TestSupport
import ZoomModel

/// The values of a command are as the description of its form has them, from which the schemas follow.
func check(_ body: any CommandForm, of node: Node) {
    let description = body is Envelope.Cancel ? node.command.cancel : node.command.form
    guard let object = body.json.object, let description else {
        return expect(false, "\(node): \(body) is no command")
    }
    let objection = description.objection(to: object)
    expect(objection == nil, "\(node): \(objection ?? "")")
    if case .by? = (body as? DesiredSet)?.zoom?.target {
        expect(false, "a step is desired")
    }
}
