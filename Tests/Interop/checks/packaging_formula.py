"""Parses a Homebrew formula with tree-sitter's grammar of Ruby, and looks for the class and the stanzas that `brew` needs."""
import pathlib
import sys

import tree_sitter_ruby
from tree_sitter import Language, Parser

text = pathlib.Path(sys.argv[1]).read_bytes()
root = Parser(Language(tree_sitter_ruby.language())).parse(text).root_node
if root.has_error:
    sys.exit(f"{sys.argv[1]}: no Ruby")
(formula,) = [node for node in root.named_children if node.type == "class"]
if formula.child_by_field_name("name").text != b"Counterfoil" or b"Formula" not in formula.child_by_field_name("superclass").text:
    sys.exit(f"{sys.argv[1]}: expected the class Counterfoil of Formula")
body = formula.child_by_field_name("body").named_children


def calls_in(nodes):
    """The calls, with those in blocks."""
    for node in nodes:
        if node.type == "call":
            yield node
        yield from calls_in(node.named_children)


top = {node.child_by_field_name("method").text.decode() for node in body if node.type == "call"}
calls = [node.child_by_field_name("method").text.decode() for node in calls_in(body)]
methods = {node.child_by_field_name("name").text.decode() for node in body if node.type == "method"}
missing = {"desc", "homepage", "version", "license", "on_linux", "on_macos", "test"} - top | {"install"} - methods
if missing:
    sys.exit(f"{sys.argv[1]}: found no {', '.join(sorted(missing))}")
if not calls.count("url") == calls.count("sha256") == calls.count("on_arm") + calls.count("on_intel") == 3:
    sys.exit(f"{sys.argv[1]}: expected an address and a checksum for each of three processors")
