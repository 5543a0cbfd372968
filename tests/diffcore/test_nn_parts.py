"""Parts of models by path: replaced, frozen, shared, saved, loaded from elsewhere, counted."""

import io
import json
import pickle
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from diffcore import nn, optim

RANDOM = np.random.default_rng(0)


def small(key=0):
    return nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.BatchNorm(3), nn.Linear(3, 1)], key=key)


def test_state_holds_all_arrays_by_path_and_loads_back():
    a, b = small(0), small(1)
    state = nn.state(a)
    assert list(state)[:2] == ["layers.0.weight", "layers.0.bias"]
    assert state["layers.2.running_var"].tolist() == [1, 1, 1]
    x = RANDOM.normal(size=(4, 2))
    np.testing.assert_array_equal(nn.load_state(b, state)(x), a(x))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda s: s.pop("layers.0.bias"), r"missing \['layers.0.bias'\]"),
        (lambda s: s.update(extra=np.ones(1)), r"unknown \['extra'\]"),
        (lambda s: s.update({"layers.0.bias": np.ones(4)}), r"shape \(4,\) for layers.0.bias"),
        (lambda s: s.update({"layers.0.bias": 1j * np.ones(3)}), "complex numbers for layers.0"),
    ],
)
def test_state_that_does_not_fit_is_refused(change, text):
    state = nn.state(small())
    change(state)
    with pytest.raises(ValueError, match=text):
        nn.load_state(small(), state)


def test_parts_are_replaced_by_pattern():
    model = small()
    wide = nn.replace(model, "layers.3", nn.Linear(3, 7, key=1))
    assert wide(jnp.ones(2)).shape == (7,)
    zero = nn.replace(model, "layers.[03].*", jnp.zeros_like)
    np.testing.assert_array_equal(zero(jnp.ones(2)), 0)
    assert [type(layer).__name__ for layer in nn.find(model, "layers.?").values()] == [
        *("Linear", "Lambda", "BatchNorm", "Linear"),
    ]
    with pytest.raises(ValueError, match="'head' matches no path.*layers.0, layers.0.weight"):
        nn.replace(model, "head", nn.Identity())


def test_frozen_parts_are_not_trained_and_otherwise_the_same():
    model, x = small(), RANDOM.normal(size=(4, 2))
    frozen = nn.freeze(model, "layers.0", "layers.2.weight")
    assert nn.count_parameters(frozen) == nn.count_parameters(model) - 9 - 3
    np.testing.assert_array_equal(frozen(x), model(x))
    np.testing.assert_array_equal(frozen[0].weight, model[0].weight)
    assert list(nn.state(frozen)) == list(nn.state(model))
    again = nn.unfreeze(frozen, "layers.0.bias")
    assert nn.count_parameters(again) == nn.count_parameters(frozen) + 3
    y, trained = nn.apply(frozen, x)
    assert int(trained.layers[2].num_batches_tracked.array) == 1


def test_tied_parts_are_one_and_get_both_gradients():
    layers = [nn.Linear(3, 3, bias=False), nn.tanh, nn.Linear(3, 3, bias=False)]
    model, x = nn.Sequential(layers, key=0), RANDOM.normal(size=(4, 3))
    tied = nn.tie(model, {"layers.2.weight": "layers.0.weight"})
    assert nn.count_parameters(tied) == 9
    w = model[0].weight
    formula = lambda w: jnp.sum((jnp.tanh(x @ w.T) @ w.T) ** 2)  # noqa: E731
    gradient = jax.grad(lambda m: jnp.sum(m(x) ** 2))(tied)
    np.testing.assert_allclose(gradient.model[0].weight, jax.grad(formula)(w), rtol=1e-12)
    np.testing.assert_allclose(nn.freeze(tied)(x), tied(x))
    with pytest.raises(ValueError, match="which has other shapes"):
        nn.tie(small(), {"layers.0.weight": "layers.3.weight"})


def test_learning_rates_are_scaled_by_path():
    model = nn.Sequential([nn.Linear(2, 3), nn.tanh, nn.Linear(3, 1)], key=0)
    rates = {"layers.0.bias": 0.0, "layers.0": 0.5}
    optimizer = optim.first_order(optax.chain(optax.sgd(1.0), optim.scale_by_path(rates)))
    x = RANDOM.normal(size=(4, 2))
    loss = jax.value_and_grad(lambda m: jnp.sum(m(x) ** 2))
    after = optim.run(optimizer, loss, model, steps=1).parameters
    slope = loss(model)[1]
    np.testing.assert_array_equal(after[0].bias, model[0].bias)
    np.testing.assert_allclose(after[0].weight, model[0].weight - 0.5 * slope[0].weight)
    np.testing.assert_allclose(after[2].weight, model[2].weight - slope[2].weight)


@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
def test_tensor_files_keep_names_types_and_values(tmp_path, suffix):
    tensors = {"a.weight": RANDOM.normal(size=(2, 3)).astype(np.float32), "n": np.arange(3)}
    tensors |= {"empty": np.zeros((0, 2)), "scalar": np.array(2.5), "z": np.ones(2, np.complex64)}
    if suffix == "safetensors":
        tensors["half"] = np.ones(3, jnp.bfloat16)
    back = nn.read_tensors(nn.write_tensors(tmp_path / f"w.{suffix}", tensors))
    for name, array in tensors.items():
        assert back[name].dtype == array.dtype
        np.testing.assert_array_equal(back[name], array)


class Malicious:
    def __reduce__(self):
        return print, ("executed",)


def torch_file(path, content, storages=None):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/data.pkl", content)
        for name, data in (storages or {}).items():
            archive.writestr(f"m/data/{name}", data)
    return path


def torch_pickle(size, stride, offset=0):
    """What torch writes for {"w": tensor}, in the letters of the pickle's protocol 0."""
    numbers = lambda values: "(" + "".join(f"I{v}\n" for v in values) + "t"  # noqa: E731
    return (
        "(dp0\nVw\nctorch._utils\n_rebuild_tensor_v2\n("
        "(Vstorage\nctorch\nFloatStorage\nV0\nVcpu\nI6\ntQ"
        f"I{offset}\n{numbers(size)}{numbers(stride)}I00\n(dtRs."
    ).encode()


def test_torch_files_are_read_without_torch(tmp_path):
    data = np.arange(6, dtype=np.float32)
    path = torch_file(tmp_path / "m.pt", torch_pickle((2, 3), (1, 2)), {"0": data.tobytes()})
    np.testing.assert_array_equal(nn.read_tensors(path)["w"], [[0, 2, 4], [1, 3, 5]])


@pytest.mark.parametrize("size", [(3, 3), (2, -3)])
def test_torch_tensors_outside_their_storage_are_refused(tmp_path, size):
    path = torch_file(tmp_path / "m.pt", torch_pickle(size, (3, 1)), {"0": bytes(24)})
    with pytest.raises(nn.TensorFileError, match="storage"):
        nn.read_tensors(path)


def test_files_that_want_to_run_code_are_refused_and_run_nothing(tmp_path, capsys):
    path = torch_file(tmp_path / "m.pt", pickle.dumps({"w": Malicious()}))
    with pytest.raises(nn.TensorFileError, match="wants to run .*print"):
        nn.read_tensors(path)
    np.savez(tmp_path / "m.npz", w=np.array([Malicious()], dtype=object))
    with pytest.raises(nn.TensorFileError, match="damaged"):
        nn.read_tensors(tmp_path / "m.npz")
    assert capsys.readouterr().out == ""


def test_damaged_files_are_refused(tmp_path):
    good = nn.write_tensors(tmp_path / "w.safetensors", {"w": np.ones(4)}).read_bytes()
    header = {"w": {"dtype": "F64", "shape": [400], "data_offsets": [0, 3200]}}
    text = json.dumps(header).encode()
    bad = [b"", b"hello", good[:-1], good[:9], len(text).to_bytes(8, "little") + text]
    archive = io.BytesIO()
    np.savez(archive, w=np.ones(100))
    bad.append(archive.getvalue()[:200])
    for content in bad:
        path = tmp_path / "bad.safetensors"
        path.write_bytes(content)
        with pytest.raises(nn.TensorFileError):
            nn.read_tensors(path)
    with pytest.raises(FileNotFoundError):
        nn.read_tensors(tmp_path / "none.npz")


def test_weights_from_elsewhere_are_loaded_by_a_name_map_and_checked(tmp_path):
    model, source = small(), nn.state(small(1))
    theirs = {k.replace("layers.", "body.").replace("body.3", "head"): a for k, a in source.items()}
    x = RANDOM.normal(size=(4, 2))
    y = small(1)(x)
    names = {"layers.3": "head", "layers": "body"}
    path = nn.write_tensors(tmp_path / "w.safetensors", theirs)
    loaded = nn.load_torch(model, path, names=names, check=(x, y))
    np.testing.assert_array_equal(loaded(x), y)
    with pytest.raises(ValueError, match="differs from `check` by"):
        nn.load_torch(model, theirs, names=names, check=(x, y + 0.1))
    with pytest.raises(ValueError, match=r"nothing for \['layers.3.weight'.*no place for \['head"):
        nn.load_torch(model, theirs, names={"layers": "body"})


def test_summary_counts_what_convolutions_and_products_cost():
    layers = [nn.Conv2d(1, 4, 3, padding=1), nn.relu, nn.AvgPool2d(4), nn.Flatten()]
    model = nn.Sequential(layers, key=0)
    table = nn.summary(model, jax.ShapeDtypeStruct((2, 1, 8, 8), np.float32))
    rows = {row.path: row for row in table.rows}
    assert rows["layers.0"].output == "(2, 4, 8, 8)" and rows["layers.0"].parameters == 40
    assert rows["layers.0"].flops == table.flops == 2 * (2 * 4 * 64) * 9
    assert rows["layers.3"].output == "(2, 16)"
    lstm = nn.LSTM(3, 5, key=0)
    products = 7 * 2 * (3 * 20 + 5 * 20)
    assert nn.count_flops(lambda x: lstm(x)[0], np.zeros((7, 3))) == products
