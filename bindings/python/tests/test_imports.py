"""The modules of the package import each other in one direction, and slow ones when they are first needed."""

from __future__ import annotations

import ast
import sys
import typing
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from helpers import output_of

import paysvc


def imports(file: Path) -> set[str]:
    """The modules of the package that one of them imports: within functions and for type checkers, too."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        # All imports within the package are relative.
        if isinstance(node, ast.ImportFrom) and node.level:
            found |= {node.module} if node.module else {alias.name for alias in node.names}
    return {name if (file.parent / f"{name}.py").exists() else "__init__" for name in found}


def test_there_is_no_cycle() -> None:
    graph = {file.stem: imports(file) for file in Path(paysvc.__file__).parent.glob("*.py")}
    TopologicalSorter(graph).prepare()
    assert {"_client", "_errors", "_reply", "_async"} <= graph["__init__"]
    assert "_answers" in graph["_replies"], "an import for type checkers counts"
    assert not any("__init__" in found for found in graph.values())


def test_slow_imports_are_only_for_programs_that_need_them() -> None:
    program = (
        "import sys, paysvc\n"
        "slow = {'asyncio', 'logging', 'platform', 'pathlib', 'datetime', 'paysvc._answers', 'paysvc._typed'}\n"
        "reply = paysvc.OrderPayReply(status=paysvc.Status.OK, outcome=paysvc.Outcome.CONFIRMED, text='{}')\n"
        "assert set(paysvc.__all__) <= set(dir(paysvc))\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
        "assert reply.answer.order_payment is None\n"
        "from paysvc import *\n"
        "assert AsyncClient is paysvc.AsyncClient is sys.modules['paysvc._async'].AsyncClient\n"
        "assert type(reply.answer) is OrderPayAnswer and issubclass(OrderPayAnswer, Answer)\n"
        "try: paysvc.Nothing\n"
        "except AttributeError as error: print(error)\n"
    )
    assert output_of(program) == "module 'paysvc' has no attribute 'Nothing'\n"


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python 3.9 cannot evaluate X | Y")
def test_annotations_can_be_evaluated() -> None:
    """Tools that evaluate them, such as Sphinx, find every name in the module of the method."""
    for method in (paysvc.Client.order_refund, paysvc.AsyncClient.order_refund):
        assert typing.get_type_hints(method)["return"] is paysvc.OrderRefundReply
