"""Whatever the schema of the API allows, and does not allow: no answer is a failure of ours."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error

from .test_access import routes

pytestmark = pytest.mark.slow

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
        case.call_and_validate(live.url, headers=live.headers(), checks=[not_a_server_error])

    ask()
