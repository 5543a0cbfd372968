"""From training to use: functions in files that run without the code that made them."""

from diffcore.deploy.export import export
from diffcore.deploy.exportable import Exportable, ExportError, Variable
from diffcore.deploy.loaded import Loaded, OutsideDomain, load

__all__ = [
    "export",
    "Exportable",
    "ExportError",
    "load",
    "Loaded",
    "OutsideDomain",
    "Variable",
]
