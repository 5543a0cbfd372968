"""Settings of the manual; `make docs` builds it."""

project = "SciML toolkit"
author = "The SciML toolkit authors"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
html_theme = "furo"
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autosummary_ignore_module_all = False
autodoc_typehints = "description"
