"""Datasets give the records they should, in an order that resumes, and refuse files that lie."""

import gzip
import json
import struct

import h5py
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

import diffcore as dc
from diffcore import data


def numbers(dataset, epoch=0):
    return [int(record) for record in dataset.records(epoch)]


def flat(batches, epoch=0, start=0):
    return [int(x) for batch in batches.epoch(epoch, start) for x in batch]


TEN = data.arrays(np.arange(10))


# Order


def test_a_shuffled_epoch_is_a_permutation_and_another_one_each_time():
    shuffled = TEN.shuffle(0)
    first, second = numbers(shuffled, 0), numbers(shuffled, 1)
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second and first == numbers(TEN.shuffle(0), 0) != numbers(TEN.shuffle(1), 0)


def test_the_shares_of_a_shard_are_disjoint_and_of_one_length():
    shares = [numbers(TEN.shuffle(3).shard(i, 3)) for i in range(3)]
    assert [len(share) for share in shares] == [3, 3, 3]
    assert len({x for share in shares for x in share}) == 9


@pytest.mark.parametrize("key", [None, 5])
@pytest.mark.parametrize(("size", "sizes"), [(0.3, (3, 7)), (8, (8, 2)), (0.0, (0, 10))])
def test_a_split_divides_without_loss_or_overlap(size, sizes, key):
    parts = TEN.split(size, key=key)
    assert tuple(map(len, parts)) == sizes
    assert sorted(numbers(parts[0]) + numbers(parts[1])) == list(range(10))
    assert numbers(parts[1], 0) == numbers(parts[1], 1)


def test_samples_come_as_often_as_their_weights_say():
    drawn = np.array(numbers(TEN.sample(np.arange(10.0), key=0, count=4500)))
    counts = np.bincount(drawn, minlength=10)
    # 100 k each is expected; five standard deviations of a binomial count
    assert counts[0] == 0 and np.abs(counts - 100 * np.arange(10)).max() < 5 * np.sqrt(900)


def test_batches_keep_or_drop_the_last_one():
    assert [len(b) for b in TEN.batch(4)] == [4, 4, 2] and len(TEN.batch(4)) == 3
    assert [len(b) for b in TEN.batch(4, last="drop")] == [4, 4]
    assert list(TEN.take(0).batch(4)) == [] and len(TEN.take(99)) == 10


def pipeline():
    noisy = TEN.shuffle(1).map(lambda x, key: x + 100 * (x % 2), key=2)
    return noisy.batch(3).map(lambda x, key: data.noise(x.astype(float), key), key=3)


def test_a_stream_resumes_in_the_middle_of_an_epoch_from_its_state_as_json():
    stream = pipeline().stream()
    for _ in range(6):  # into the second epoch
        next(stream)
    resumed = pipeline().stream(json.loads(json.dumps(stream.state)))
    for _ in range(5):
        np.testing.assert_array_equal(next(resumed), next(stream))
    with pytest.raises(ValueError, match="4 batches an epoch; here there are 5"):
        TEN.batch(2).stream(stream.state)


def square(record):  # at the top of the module, so that it can be sent to worker processes
    return record**2


@pytest.mark.parametrize("options", [{"workers": 3}, {"processes": True, "workers": 2}])
def test_workers_change_nothing_about_the_batches_and_their_order(options):
    plain = TEN.map(square).shuffle(0).batch(3)
    assert flat(plain.prefetch(4, **options), 1, start=1) == flat(plain, 1, start=1)


def test_worker_threads_keep_the_precision_of_the_caller():
    batches = TEN.batch(5).map(lambda x: jnp.asarray(x, float))
    with dc.precision("float32"):
        assert {str(b.dtype) for b in batches.prefetch()} == {"float32"}


def test_what_fails_in_a_worker_is_raised_where_the_batch_is_asked_for():
    def fail(record):
        raise KeyError("no such record")

    with pytest.raises(KeyError, match="no such record"):
        list(TEN.map(fail).batch(2).prefetch())


def test_records_of_different_shapes_are_refused_with_the_shapes():
    with pytest.raises(ValueError, match=r"\(1,\); \(2,\).*resize"):
        next(iter(data.records(lambda i: np.zeros(i + 1), 2).batch(2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: data.arrays(np.zeros(3), np.zeros(4)), r"one length.*\(3,\), \(4,\)"),
        (lambda: data.arrays(np.float64(1.0)), "first axes"),
        (lambda: TEN.batch(0), "at least 1; got 0"),
        (lambda: TEN.split(1.5), "`size` is a share"),
        (lambda: TEN.shard(3, 3), "0 <= index < count"),
        (lambda: TEN.sample(-np.ones(10), key=0), "not negative"),
        (lambda: TEN.batch(2, last="maybe"), '"keep" or "drop"'),
        (lambda: TEN.take(0).batch(2).stream(), "no batches"),
    ],
)
def test_wrong_use_is_refused_in_words(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_words_are_no_records():
    with pytest.raises(TypeError, match="number the classes"):
        data.arrays(["a", "b"])


# Files


def test_a_table_gives_its_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\ufeffa; b;kind\n1;2e0;x\n\n3;4; y\n", encoding="utf-8")
    table = data.csv(path, ["b", "a"], "kind", delimiter=";", classes={"kind": ["x", "y"]})
    assert [(x.tolist(), int(y)) for x, y in table.records()] == [([2, 1], 0), ([4, 3], 1)]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n3\n", {}, "line 3 has 1 cells; there are 2"),
        ("a,b\n1,two\n", {}, "line 2: column 'b' holds 'two', no number"),
        ("a,b\n1,two\n", {"classes": {"b": ["one"]}}, "none of its classes"),
        ("a,b\n1,2\n", {"classes": {"c": ["one"]}}, r"no \['c'\]; there are a, b"),
        ("", {}, "empty"),
    ],
)
def test_a_table_that_is_wrong_is_refused_with_its_place(tmp_path, text, options, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        data.csv(path, **options)


def test_arrays_come_back_from_npz_and_hdf5(tmp_path):
    x, y = np.arange(6.0).reshape(3, 2), np.arange(3)
    np.savez_compressed(tmp_path / "f.npz", x=x, y=y)
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["group/x"], file["y"] = x, y
    sources = [
        data.npz(tmp_path / "f.npz", "x", "y"),
        data.hdf5(tmp_path / "f.h5", "group/x", "y"),
        data.hdf5(tmp_path / "f.h5", "group/x", "y", lazily=True),
    ]
    for source in sources:
        (batch,) = source.batch(3)
        np.testing.assert_array_equal(batch[0], x)
        np.testing.assert_array_equal(batch[1], y)
    with pytest.raises(ValueError, match=r"no \['z'\]; there are x, y"):
        data.npz(tmp_path / "f.npz", "z")


def write_idx(path, array, shape=None):
    codes = {"uint8": 8, "int32": 12, "float64": 14}
    shape = array.shape if shape is None else shape
    head = struct.pack(f">BBBB{len(shape)}I", 0, 0, codes[array.dtype.name], len(shape), *shape)
    content = head + array.astype(array.dtype.newbyteorder(">")).tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
@pytest.mark.parametrize("name", ["f", "f.gz"])
def test_idx_files_give_their_arrays(tmp_path, dtype, name):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    write_idx(tmp_path / name, array)
    (batch,) = data.idx(tmp_path / name).batch(2)
    np.testing.assert_array_equal(batch, array)
    assert batch.dtype == dtype


def test_cifar_files_give_images_and_labels(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (4, 3, 32, 32), np.uint8)
    for classes, head in ((10, [7]), (100, [3, 77])):
        rows = [bytes(head) + image.tobytes() for image in pixels]
        (tmp_path / "batch").write_bytes(b"".join(rows))
        ((images, labels),) = data.cifar_binary(tmp_path / "batch", classes=classes).batch(4)
        np.testing.assert_array_equal(images, pixels)
        assert labels.tolist() == [head[-1]] * 4


def test_pictures_of_a_folder_have_the_class_of_their_folder(tmp_path):
    for name, value in (("cat", 51), ("dog", 255)):
        (tmp_path / name).mkdir()
        Image.new("RGB", (4, 2), (value, 0, 0)).save(tmp_path / name / "1.png")
    folder = data.image_folder(tmp_path)
    assert folder.classes == ("cat", "dog")
    image, label = folder[0]
    assert image.shape == (3, 2, 4) and label == 0 and np.allclose(image[0], 0.2)
    assert data.image_folder(tmp_path, size=(5, 6), mode="L")[1][0].shape == (1, 5, 6)
    (tmp_path / "dog" / "2.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    with pytest.raises(ValueError, match="2.png is no picture"):
        data.image_folder(tmp_path)[2]


def lies(folder):
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    write_idx(folder / "long", array, (2, 3, 3))
    write_idx(folder / "short", array, (60_000, 2**16, 2**16))
    write_idx(folder / "cut.gz", array)
    (folder / "cut.gz").write_bytes((folder / "cut.gz").read_bytes()[:-9])
    (folder / "cifar").write_bytes(bytes(3073 * 2 - 1))
    (folder / "labels").write_bytes(bytes([10]) + bytes(3072))
    np.savez(folder / "objects.npz", x=np.array([{}], object))
    np.savez(folder / "cut.npz", x=np.zeros(1000))
    (folder / "cut.npz").write_bytes((folder / "cut.npz").read_bytes()[:700])
    (folder / "text").write_text("no numbers here")


@pytest.mark.parametrize(
    ("read", "name", "message"),
    [
        (data.idx, "long", "holds more"),
        (data.idx, "short", "cut short"),
        (data.idx, "cut.gz", "damaged"),
        (data.idx, "text", "no IDX file"),
        (data.cifar_binary, "cifar", "no multiple"),
        (data.cifar_binary, "labels", "labels up to 10"),
        (data.npz, "objects.npz", "no .npz file of numbers"),
        (data.npz, "cut.npz", "damaged"),
        (data.npz, "text", "no .npz file"),
        (lambda path: data.hdf5(path, "x"), "text", "no HDF5 file"),
    ],
)
def test_files_that_are_damaged_or_lie_are_refused(tmp_path, read, name, message):
    lies(tmp_path)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / name)


# Changes


@pytest.mark.parametrize(("axis", "shape"), [(-1, (3,)), (1, (4, 1)), (None, (1, 1))])
def test_normalized_values_have_mean_zero_and_deviation_one(tmp_path, axis, shape):
    rng = np.random.default_rng(1)
    values = rng.normal(50, 3, (40, 4, 3)) * (1 + np.arange(3))
    normal = data.Normalization.of(data.arrays(values).batch(7), axis=axis)
    assert normal.mean.array.reshape(-1).shape == (int(np.prod(shape)),)
    others = tuple(i for i in range(3) if axis is None or i != axis % 3)
    y = np.asarray(normal(values))
    # rounding of sums in float64
    np.testing.assert_allclose(y.mean(others), 0, atol=1e-12)
    np.testing.assert_allclose(y.std(others), 1, atol=1e-12)
    np.testing.assert_allclose(normal.inverse(normal(values[0])), values[0], rtol=1e-13)
    normal.save(tmp_path / "n.npz")
    stored = data.Normalization.load(tmp_path / "n.npz")
    np.testing.assert_array_equal(stored(values[0]), normal(values[0]))


def test_a_constant_feature_is_only_shifted():
    normal = data.Normalization.of(np.full((10, 2), 0.1))
    np.testing.assert_array_equal(normal(np.full(2, 1.1)), np.full(2, 1.0))


def test_augmentation_moves_pixels_and_makes_none():
    images = jnp.arange(2 * 1 * 4 * 6.0).reshape(2, 1, 4, 6) + 1
    flipped = data.flip(images, 0)
    for image, new in zip(images, flipped, strict=True):
        assert (new == image).all() or (new == image[..., ::-1]).all()
    window = data.crop(images, 1, size=(2, 3))
    row, column = (int(i[0]) for i in jnp.argwhere(images[1, 0] == window[1, 0, 0, 0])[0, :, None])
    np.testing.assert_array_equal(window[1, 0], images[1, 0, row : row + 2, column : column + 3])
    moved = data.crop(images, 2, padding=2)
    assert moved.shape == images.shape and set(moved.ravel().tolist()) <= set(range(49))
    with pytest.raises(ValueError, match="larger than the padded"):
        data.crop(images, 0, size=(9, 9))
