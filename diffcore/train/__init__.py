"""Training of ordinary networks: the Trainer, metrics on the device, callbacks, exact resume."""

from diffcore.train.callbacks import (
    Callback,
    Checkpoint,
    EarlyStopping,
    Log,
    ReduceOnPlateau,
    Schedule,
)
from diffcore.train.metrics import (
    Metric,
    accuracy,
    auc,
    confusion_matrix,
    f1,
    mean_of,
    perplexity,
    precision,
    r2,
    recall,
    relative_l2,
    top_k,
)
from diffcore.train.state import Descent, State, descend
from diffcore.train.tensorboard import TensorBoard
from diffcore.train.trainer import Trainer, swa

__all__ = [
    "accuracy",
    "auc",
    "Callback",
    "Checkpoint",
    "confusion_matrix",
    "descend",
    "Descent",
    "EarlyStopping",
    "f1",
    "Log",
    "mean_of",
    "Metric",
    "perplexity",
    "precision",
    "r2",
    "recall",
    "ReduceOnPlateau",
    "relative_l2",
    "Schedule",
    "State",
    "swa",
    "TensorBoard",
    "top_k",
    "Trainer",
]
