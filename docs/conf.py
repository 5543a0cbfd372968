"""Settings of the manual; `make docs` builds it."""

project = "SciML toolkit"
author = "The SciML toolkit authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
html_theme = "furo"
exclude_patterns = ["_build"]
default_role = "code"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "description"
napoleon_custom_sections = ["Source"]
