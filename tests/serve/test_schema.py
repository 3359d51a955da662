"""Whatever the schema allows or does not allow: no reply fails, or is other than it says."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from .test_access import routes

pytestmark = pytest.mark.slow

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
EXAMPLES = int(os.environ.get("SELECTRON_FUZZ", "5"))  # of each operation
NAMES = {"stream": {"enum": ["mail", "none"]}, "item": {"maximum": 9}, "answer": {"maximum": 9}}


@pytest.fixture(scope="module")
def described(live):
    """The schema, with values that are there: made-up ones are never found."""
    schema = live.app.openapi()
    for methods in schema["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                parameter["schema"] |= NAMES.get(parameter["name"], {})
    del schema["paths"]["/v1/streams/{stream}/events"]  # which does not end
    batch = schema["paths"]["/v1/streams/{stream}/batch"]["post"]["requestBody"]["content"]
    batch["text/plain"] = batch.pop("application/x-ndjson")  # which cannot be made up
    return schemathesis.openapi.from_dict(schema)


OPERATIONS = [(path, method) for path, method, _ in routes() if not path.endswith("/events")]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_no_failure_of_ours(described, live, path, method):
    @given(case=described[path][method].as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(case):
        case.call_and_validate(live.url, headers=live.headers(), checks=CHECKS)

    ask()
