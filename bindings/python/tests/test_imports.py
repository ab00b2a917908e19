"""The modules of the package import each other in one direction."""

from __future__ import annotations

import ast
import sys
import typing
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import paysvc

PACKAGE = Path(paysvc.__file__).parent
ROOT = "__init__"


def imports(file: Path) -> Iterator[str]:
    """The modules of the same package that a file imports: within functions and for type checkers, too."""
    modules = {other.stem for other in file.parent.glob("*.py")}
    for node in ast.walk(ast.parse(file.read_text())):
        dotted: list[str] = []
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = f"{'paysvc' if node.level else ''}.{node.module or ''}".strip(".")
            dotted = [f"{base}.{alias.name}" for alias in node.names]
        for name in dotted:
            package, _, rest = name.partition(".")
            if package == "paysvc":
                module = rest.partition(".")[0]
                # `from . import Client` is the package itself; `from . import _log` is the module.
                yield module if module in modules else ROOT


def graph(package: Path) -> dict[str, set[str]]:
    return {file.stem: set(imports(file)) for file in package.glob("*.py")}


def cycle(of: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(of).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_there_is_no_cycle() -> None:
    found = graph(PACKAGE)
    assert cycle(found) == []
    # The graph is not empty: the edges that the package cannot do without are in it.
    assert {"_client", "_errors", "_reply"} <= found[ROOT]
    assert "_async" in found[ROOT], "an import within a function counts"
    assert "_generated" in found["_reply"]
    assert {"_native", "_reply"} <= found["_endpoints"]
    assert "_answers" in found["_replies"], "an import for type checkers counts"


@pytest.mark.parametrize(
    "line",
    [
        "from ._a import x",
        "from . import _a",
        "import paysvc._a",
        "from paysvc._a import x",
        "from paysvc import _a",
        "def f():\n    from ._a import x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ._a import x",
    ],
)
def test_a_cycle_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "__init__.py").write_text("from ._a import x\n")
    (tmp_path / "_a.py").write_text("from ._b import y\n")
    (tmp_path / "_b.py").write_text("import json\n")
    assert cycle(graph(tmp_path)) == []
    (tmp_path / "_b.py").write_text(line)
    assert set(cycle(graph(tmp_path))) == {"_a", "_b"}


@pytest.mark.parametrize("line", ["from . import Client", "import paysvc", "from paysvc import Client"])
def test_a_module_that_imports_the_package_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "__init__.py").write_text("from ._a import x\n")
    (tmp_path / "_a.py").write_text(line)
    assert set(cycle(graph(tmp_path))) == {"__init__", "_a"}


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python 3.9 cannot evaluate X | Y")
def test_annotations_can_be_evaluated() -> None:
    """Tools that evaluate them, such as Sphinx, find every name in the module of the method."""
    for method in (paysvc.Client.order_refund, paysvc.AsyncClient.order_refund):
        assert typing.get_type_hints(method)["return"] is paysvc.OrderRefundReply
