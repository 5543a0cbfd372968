"""Datasets of records, in a deterministic order that resumes anywhere; files, workers, changes."""

from diffcore.data.augmentation import crop, flip, noise
from diffcore.data.batches import Batches, Stream
from diffcore.data.dataset import Dataset, arrays, records
from diffcore.data.images import cifar_binary, idx, image_folder
from diffcore.data.normalization import Normalization
from diffcore.data.tables import csv, hdf5, npz

__all__ = [
    "arrays",
    "Batches",
    "cifar_binary",
    "crop",
    "csv",
    "Dataset",
    "flip",
    "hdf5",
    "idx",
    "image_folder",
    "noise",
    "Normalization",
    "npz",
    "records",
    "Stream",
]
