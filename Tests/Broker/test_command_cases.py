"""The schemas against the cases in `Tests/Cases`. `CommandCasesTests.swift` holds the decoder against the
same files."""

import pytest

import command_cases
import contract

CASES = command_cases.of_nodes() + command_cases.of_refresh() + command_cases.common() + command_cases.malformed()


def objection(case: command_cases.CommandCase) -> str | None:
    try:
        return contract.objection(f"{case.node}.set.schema.json", contract.strict_json(case.payload))
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_schema_allows_what_the_case_allows(case):
    assert (objection(case) is None) == case.schema_allows, objection(case) or "the schema allows it"


def test_each_schema_of_a_command_has_cases():
    assert {f"{case.node}.set.schema.json" for case in CASES} == {
        path.name for path in contract.SCHEMAS.glob("*.set.schema.json")}


@pytest.mark.parametrize("node", [*command_cases.nodes(), "refresh"])
def test_each_node_has_valid_and_invalid_cases(node):
    kinds = {case.error is None for case in command_cases.of_nodes() + command_cases.of_refresh() if case.node == node}
    assert kinds == {True, False}


def test_only_a_case_that_differs_has_a_reason():
    assert not [str(case) for case in CASES if case.reason and (case.error is None) == case.schema_allows]
