"""Well-known networks, each in a few lines of `diffcore.nn`; `nn.init(network, key)` draws weights.

Images are (..., channels, height, width), tokens whole numbers (..., length), nodes of a graph
(..., nodes, features). The Fourier neural operator, DeepONet and the network for meshes are layers
of the library: `nn.FNO`, `nn.DeepONet`, `nn.MeshGraphNetwork`.
"""

from functools import partial

import jax
import jax.numpy as jnp

from diffcore import nn


def lenet(classes=10):
    """LeNet-5, for images (1, 28, 28). Source: LeCun et al., Proc. IEEE 86 (1998) 2278-2324."""
    layers = [nn.Conv2d(1, 6, 5, padding=2), nn.tanh, nn.AvgPool2d(2)]
    layers += [nn.Conv2d(6, 16, 5), nn.tanh, nn.AvgPool2d(2), nn.Flatten()]
    layers += [nn.Linear(400, 120), nn.tanh, nn.Linear(120, 84), nn.tanh, nn.Linear(84, classes)]
    return nn.Sequential(layers)


# Residual networks. Source: He et al., Deep residual learning for image recognition (2016).


def convolution(channels, out, size=3, stride=1):
    """Layers: a convolution that keeps the image's size, but for the stride, and its norm."""
    conv = nn.Conv2d(channels, out, size, stride=stride, padding=size // 2, bias=False)
    return [conv, nn.BatchNorm2d(out)]


def basic(channels, width, stride):
    """Layers and channels that come out: two convolutions."""
    layers = [*convolution(channels, width, stride=stride), nn.relu, *convolution(width, width)]
    return layers, width


def bottleneck(channels, width, stride):
    """Layers and channels that come out: three convolutions, two of which change channels alone."""
    layers = [*convolution(channels, width, 1), nn.relu]
    layers += [*convolution(width, width, 3, stride), nn.relu]
    return layers + convolution(width, 4 * width, 1), 4 * width


class ResidualBlock(nn.Module):
    """relu(main(x) + side(x)); the side is a convolution of size one where shapes differ."""

    main: nn.Module
    side: nn.Module

    def __init__(self, block, channels, width, stride):
        main, out = block(channels, width, stride)
        is_same = channels == out and stride == 1
        side = [nn.Identity()] if is_same else convolution(channels, out, 1, stride)
        self.main, self.side = nn.Sequential(main), nn.Sequential(side)

    def __call__(self, x):
        return nn.relu(self.main(x) + self.side(x))


def resnet(block, depths, classes=1000, width=64):
    """A residual network, for images (3, height, width)."""
    layers = [*convolution(3, width, 7, stride=2), nn.relu, nn.MaxPool2d(3, stride=2, padding=1)]
    channels = width
    for stage, depth in enumerate(depths):
        for i in range(depth):
            stride = 2 if stage and not i else 1
            layers.append(ResidualBlock(block, channels, width * 2**stage, stride))
            channels = block(channels, width * 2**stage, stride)[1]
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes)]
    return nn.Sequential(layers)


resnet18 = partial(resnet, basic, (2, 2, 2, 2))
resnet50 = partial(resnet, bottleneck, (3, 4, 6, 3))


class UNet(nn.Module):
    """Segmentation of images whose sides 2^depth divides, in as many sizes, with bridges between.

    Source: Ronneberger, Fischer & Brox, U-Net (2015); here with norms and without cropping."""

    down: list
    up: list
    widen: list
    head: nn.Module

    def __init__(self, channels=1, out=1, width=16, depth=3):
        def block(channels, out):
            first, second = convolution(channels, out), convolution(out, out)
            return nn.Sequential([*first, nn.relu, *second, nn.relu])

        sizes = [width * 2**i for i in range(depth + 1)]
        self.down = [block(a, b) for a, b in zip([channels, *sizes], sizes, strict=False)]
        self.widen = [nn.ConvTranspose2d(2 * n, n, 2, stride=2) for n in sizes[:-1]]
        self.up = [block(2 * n, n) for n in sizes[:-1]]
        self.head = nn.Conv2d(width, out, 1)

    def __call__(self, x):
        bridges = []
        for block in self.down[:-1]:
            bridges.append(block(x))
            x = nn.MaxPool2d(2)(bridges[-1])
        x = self.down[-1](x)
        for widen, up in zip(self.widen[::-1], self.up[::-1], strict=True):
            x = up(jnp.concatenate([bridges.pop(), widen(x)], axis=-3))
        return self.head(x)


class ViT(nn.Module):
    """A vision transformer, for images (3, size, size).

    Source: Dosovitskiy et al., An image is worth 16x16 words (2021), table 1 (ViT-B/16)."""

    patches: nn.Module
    positions: nn.Module
    start: nn.Module
    encoder: nn.Module
    head: nn.Module

    def __init__(self, image=224, patch=16, width=768, heads=12, depth=12, classes=1000):
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.positions = nn.Embedding((image // patch) ** 2 + 1, width)
        self.start = nn.Embedding(1, width)
        self.encoder = nn.TransformerEncoder(
            width, heads, depth, activation=nn.gelu, norm_first=True
        )
        self.head = nn.Linear(width, classes)

    def __call__(self, x):
        x = self.patches(x)
        x = jnp.swapaxes(x.reshape(*x.shape[:-2], -1), -1, -2)  # (..., patches, width)
        start = jnp.broadcast_to(self.start.weight, (*x.shape[:-2], 1, x.shape[-1]))
        x = jnp.concatenate([start, x], axis=-2) + self.positions.weight
        return self.head(self.encoder(x)[..., 0, :])


class GPT(nn.Module):
    """Logits of the next token at each place, (..., length, tokens).

    Source: Radford et al., Language models are unsupervised multitask learners (2019), table 2."""

    tokens: nn.Module
    positions: nn.Module
    decoder: nn.Module

    def __init__(self, tokens=50257, length=1024, width=768, heads=12, depth=12, dropout=0.0):
        self.tokens, self.positions = nn.Embedding(tokens, width), nn.Embedding(length, width)
        options = {"activation": nn.gelu, "norm_first": True, "dropout": dropout}
        self.decoder = nn.TransformerEncoder(width, heads, depth, causal=True, **options)

    def __call__(self, tokens):
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[-1]]
        return self.decoder(x) @ self.tokens.weight.T


def lstm_language_model(tokens, width=128, layers=2):
    """Logits of the next token at each place, (..., length, tokens)."""
    lstm = nn.LSTM(width, width, layers=layers, return_state=False)
    return nn.Sequential([nn.Embedding(tokens, width), lstm, nn.Linear(width, tokens)])


class VAE(nn.Module):
    """A variational autoencoder of vectors; use gives the mean, training `loss` samples.

    Source: Kingma & Welling, Auto-encoding variational Bayes (2014), appendices B and C."""

    encoder: nn.Module
    decoder: nn.Module

    def __init__(self, size=784, width=400, latent=20):
        self.encoder = nn.Sequential(
            [nn.Linear(size, width), nn.relu, nn.Linear(width, 2 * latent)]
        )
        self.decoder = nn.Sequential([nn.Linear(latent, width), nn.relu, nn.Linear(width, size)])

    def __call__(self, x):
        mean, _ = jnp.split(self.encoder(x), 2, axis=-1)
        return nn.sigmoid(self.decoder(mean))

    def loss(self, x, key):
        """The negative evidence lower bound of x (..., size) in [0, 1], a mean over samples."""
        mean, log_variance = jnp.split(self.encoder(x), 2, axis=-1)
        noise = jax.random.normal(key, mean.shape, mean.dtype)
        logits = self.decoder(mean + jnp.exp(log_variance / 2) * noise)
        misfit = nn.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(-1)
        divergence = 0.5 * (mean**2 + jnp.exp(log_variance) - 1 - log_variance).sum(-1)
        return (misfit + divergence).mean()


def generator(latent=64, width=32):
    """Images (1, 28, 28) from (..., latent). Source: Radford et al., DCGAN (2016)."""
    layers = [nn.Linear(latent, 2 * width * 49), nn.Unflatten(-1, (2 * width, 7, 7)), nn.relu]
    layers += [nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1), nn.BatchNorm2d(width)]
    return nn.Sequential(
        [*layers, nn.relu, nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1), nn.tanh]
    )


def discriminator(width=32):
    """Logits (..., 1) of images (1, 28, 28) being true."""
    layers = [nn.Conv2d(1, width, 4, stride=2, padding=1), nn.leaky_relu]
    layers += [nn.Conv2d(width, 2 * width, 4, stride=2, padding=1), nn.leaky_relu, nn.Flatten()]
    return nn.Sequential([*layers, nn.Linear(2 * width * 49, 1)])


class GraphSAGE(nn.Module):
    """Classes of the nodes of a graph, from `model(graph, nodes)`.

    Source: Hamilton, Ying & Leskovec, Inductive representation learning on large graphs (2017)."""

    layers: list

    def __init__(self, size, classes, width=64, depth=2):
        sizes = [size, *[width] * (depth - 1), classes]
        self.layers = [nn.SAGEConv(a, b) for a, b in zip(sizes, sizes[1:], strict=False)]

    def __call__(self, graph, nodes):
        for layer in self.layers[:-1]:
            nodes = nn.relu(layer(graph, nodes))
        return self.layers[-1](graph, nodes)
