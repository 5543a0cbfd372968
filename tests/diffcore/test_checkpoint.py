"""Checkpoints come back bit for bit, or are refused."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import zipfile
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import diffcore as dc
from diffcore.checkpoint import CheckpointError, load, read_metadata, save


class State(NamedTuple):
    weights: dict
    step: int


def tree():
    return State(
        {
            "file": jnp.arange(6.0).reshape(2, 3),
            "allow_pickle": np.asfortranarray(np.arange(6).reshape(2, 3)),
            "list": [jnp.ones(3, jnp.bfloat16), np.complex128(1 + 2j), None],
            "a/b": jnp.zeros((0, 2), jnp.float32),
            "a": {"b": jnp.array(True)},
            "key": jax.random.split(jax.random.key(3)),
            "manifest": np.float16(0.1),
            "deep": ({7: [(0, 1)]}, 1 - 2j, float("nan"), "text", 2**80),
        },
        12,
    )


def bits(leaf):
    if isinstance(leaf, (int, float, complex, str)) and not isinstance(leaf, np.generic):
        return repr(leaf)
    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return str(leaf.dtype), np.shape(leaf), np.asarray(leaf).tobytes()


def test_a_tree_comes_back_bit_for_bit(tmp_path):
    original = tree()
    path = save(tmp_path / "state.npz", original, metadata={"loss": [0.5], "name": "x"})
    restored = load(path, original)
    assert jax.tree.structure(restored) == jax.tree.structure(original)
    for new, old in zip(jax.tree.leaves(restored), jax.tree.leaves(original), strict=True):
        assert type(new) is type(old) and bits(new) == bits(old)
    assert read_metadata(path) == {"loss": [0.5], "name": "x"}


def test_without_a_pattern_it_is_dictionaries_lists_and_numpy_arrays(tmp_path):
    plain = {"a": [np.arange(3), {"b": 1.5}], "c": np.array(2, np.int8)}
    restored = load(save(tmp_path / "a.npz", plain))
    assert restored["a"][1] == {"b": 1.5} and type(restored["c"]) is np.ndarray
    assert bits(restored["a"][0]) == bits(plain["a"][0])
    assert (load(save(tmp_path / "b.npz", np.arange(3))) == np.arange(3)).all()
    assert load(save(tmp_path / "c.npz", {})) == {}


def test_a_pattern_may_be_shapes_only(tmp_path):
    path = save(tmp_path / "a.npz", {"w": jnp.ones(3)})
    like = jax.eval_shape(lambda: {"w": jnp.zeros(3)})
    assert isinstance(load(path, like)["w"], jax.Array)


def test_functions_are_taken_from_the_pattern(tmp_path):
    path = save(tmp_path / "a.npz", [jnp.tanh, jnp.ones(2)])
    assert load(path, [jnp.sin, jnp.zeros(2)])[0] is jnp.sin
    with pytest.raises(CheckpointError, match="no data.*pass `like`"):
        load(path)


def test_the_file_is_a_plain_npz_without_pickles(tmp_path):
    path = save(tmp_path / "a.npz", {"layers": [{"weight": np.arange(3.0)}]})
    with np.load(path, allow_pickle=False) as file:
        assert set(file.files) == {"manifest", "layers/0/weight"}
        assert (file["layers/0/weight"] == np.arange(3.0)).all()


@pytest.mark.parametrize(
    ("like", "text"),
    [
        ({"w": np.zeros(4), "n": 1}, "leaf w holds shape"),
        ({"w": np.zeros(3, np.float32), "n": 1}, "data type float32"),
        ({"v": np.zeros(3), "n": 1}, r"missing in the file \['v'\], not in `like` \['w'\]"),
        ({"w": np.zeros(3), "n": 1.0}, "leaf n holds int 1; `like` has float"),
        ({"w": 1.0, "n": 1}, "leaf w holds shape"),
    ],
)
def test_a_pattern_that_does_not_fit_is_refused(tmp_path, like, text):
    path = save(tmp_path / "a.npz", {"w": np.zeros(3), "n": 1})
    with pytest.raises(CheckpointError, match=text):
        load(path, like)


def test_no_digits_are_lost_silently_in_32_bit_mode(tmp_path):
    like = {"w": jnp.ones(3) / 3}
    path = save(tmp_path / "a.npz", like)
    with dc.precision("float32"), pytest.raises(CheckpointError, match="precision"):
        load(path, like)


def test_every_single_damaged_byte_is_noticed_or_harmless(tmp_path):
    path = save(tmp_path / "a.npz", {"w": np.arange(4.0), "n": 1}, metadata={"m": 2})
    good = path.read_bytes()
    for position in range(len(good)):
        path.write_bytes(good[:position] + bytes([good[position] ^ 0x15]) + good[position + 1 :])
        try:
            restored = load(path)
        except CheckpointError:
            continue
        # Some bytes of the zip headers (times, permissions) carry no data.
        assert restored["n"] == 1 and (restored["w"] == np.arange(4.0)).all()


def test_truncated_files_are_refused(tmp_path):
    path = save(tmp_path / "a.npz", {"w": np.arange(100.0)})
    good = path.read_bytes()
    for length in (0, 1, 10, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:length])
        with pytest.raises(CheckpointError):
            load(path)


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, w=np.zeros(3))
    with pytest.raises(CheckpointError, match="not a checkpoint of diffcore"):
        load(path)
    np.savez(path, manifest=np.array([{}], object))
    with pytest.raises(CheckpointError):
        load(path)
    path.write_text("hello")
    with pytest.raises(CheckpointError):
        load(path)
    np.save(path.with_suffix(".npy"), np.zeros(3))
    with pytest.raises(CheckpointError):
        load(path.with_suffix(".npy"))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing.npz")


def test_a_pickle_is_never_run(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "exploded"),))

    path = tmp_path / "a.npz"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError):
        load(path)
    assert not (tmp_path / "exploded").exists()


def npy(header, data=b""):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + data


def rewritten(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


HUGE = {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
OBJECTS = {"descr": "|O", "fortran_order": False, "shape": (1,)}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda m: m | {"w.npy": npy(HUGE)}, "has 0 bytes"),  # 80 terabytes
        (lambda m: m | {"w.npy": npy(OBJECTS, pickle.dumps([1]))}, "not one of numbers"),
        (lambda m: m | {"w.npy": npy(HUGE | {"shape": (-1,)})}, "not one of numbers"),
        (lambda m: m | {"w.npy": b"hello"}, "no array"),
        (lambda m: m | {"../../w.npy": m["w.npy"]}, "checksum"),
        (lambda m: {"manifest.npy": npy({**HUGE, "descr": "|u1", "shape": (2,)}, b"[]")}, "JSON"),
    ],
)
def test_files_that_lie_are_refused_before_memory_is_taken(tmp_path, change, text):
    path = save(tmp_path / "a.npz", {"w": np.zeros(3)})
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    rewritten(path, change(members).items())
    with pytest.raises(CheckpointError, match=text):
        load(path)
    assert os.listdir(tmp_path) == ["a.npz"]


def test_a_zip_bomb_is_not_unpacked(tmp_path):
    bomb = [("manifest.npy", b"0" * 10**7)]
    with pytest.raises(CheckpointError, match="compressed"):
        load(rewritten(tmp_path / "a.npz", bomb, compression=zipfile.ZIP_DEFLATED))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "unheard"},
        {"array": "missing"},
        {"dtype": "O"},
        {"kind": "int", "value": {"a": 1}},
        {"kind": "key", "impl": "__import__"},
        {"path": [["key"]]},
        {"path": 3},
    ],
)
def test_a_manifest_with_a_right_checksum_and_wrong_content_is_refused(tmp_path, change):
    path = save(tmp_path / "a.npz", {"w": np.zeros(3, np.uint64)})
    with np.load(path) as file:
        manifest, array = json.loads(file["manifest"].tobytes()), file["w"]
    manifest["leaves"][0] |= change
    content = {"leaves": manifest["leaves"], "metadata": manifest["metadata"]}
    manifest["checksum"] = dc.checkpoint._checksum(content, [array])
    np.savez(path, manifest=np.frombuffer(json.dumps(manifest).encode(), np.uint8), w=array)
    with pytest.raises(CheckpointError):
        load(path)


def test_objects_and_bad_metadata_are_refused_and_leave_the_old_file(tmp_path):
    path = save(tmp_path / "a.npz", {"w": np.zeros(3)})
    with pytest.raises(TypeError, match="data type object at w"):
        save(path, {"w": np.array([{}], object)})
    with pytest.raises(TypeError, match="`metadata` needs to be what JSON can hold"):
        save(path, {"w": np.ones(3)}, metadata={"f": np.sin})
    assert (load(path)["w"] == 0).all()
    assert os.listdir(tmp_path) == ["a.npz"]


def test_a_process_killed_while_saving_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.npz"
    script = textwrap.dedent(f"""
        import numpy as np
        from diffcore.checkpoint import save
        for n in range(10**6):
            save({str(path)!r}, {{"w": np.full(20_000, n)}})
            print(n, flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    while int(process.stdout.readline()) < 5:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    values = load(path)["w"]
    assert values[0] >= 5 and (values == values[0]).all()
