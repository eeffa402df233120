"""The parameters that a training starts from."""

from __future__ import annotations

from typing import Any

from monge.encoders.torch_backend import import_torch
from monge.learned.capsules.convolution import ConvolutionShape
from monge.learned.capsules.network import CapsuleShape

RARE = -2.0  # log-odds of a label before anything is learned: most texts do not have it
_NOISE = 0.1  # of the usual size: what tells one place of a text from another at the start


def draw_parameters(shape: CapsuleShape | ConvolutionShape, outputs: int, words: float) -> dict[str, Any]:
    """Draw all parameters but the embedding with torch's generator, scaled by the root of what each sums over.

    Every filter of capsules has a weight for each place of a text, and so has the compression of filters that slide
    along the words: a word is another feature wherever it stands, and a few hundred texts are memorised. So
    these weights start almost alike at all places, and what is read at first is the mean of the words of a text.

    Args:
        shape: the sizes of the network.
        outputs: the number of labels; 0 for answers.
        words: how many words texts have on average.
    """
    torch, _ = import_torch()
    sizes = shape.sizes(outputs)
    made = {name: torch.randn(size) / _fan_in(name, size) ** 0.5 for name, size in sizes.items()}
    made |= {name: torch.zeros(size) for name, size in sizes.items() if name.endswith("bias")}
    if isinstance(shape, ConvolutionShape):
        if outputs:
            made["output_bias"] += RARE
    elif shape.axis == "embedding":
        for window in shape.windows:
            name = f"window{window}"
            alike = torch.randn(window, shape.filters, 1) / (window**0.5 * max(1.0, words))
            made[name] = alike + _NOISE * made[name]
    else:
        alike = torch.cat([_repeat(shape, window) for window in shape.windows], dim=1)
        made["compress"] = alike.reshape(sizes["compress"]) + _NOISE * made["compress"]
    return made


def _repeat(shape: CapsuleShape, window: int) -> Any:
    """Return one random row (compressed) for each filter of a window, at each of its places."""
    torch, _ = import_torch()
    places = (shape.slid - window) // 2 + 1
    row = torch.randn(shape.filters, 1, shape.compressed) / (shape.filters * places * len(shape.windows)) ** 0.5
    return row.expand(shape.filters, places, shape.compressed)


def _fan_in(name: str, size: tuple[int, ...]) -> float:
    """Return what the variance of a parameter is divided by: the number of terms in the sum that it enters."""
    if name.startswith("window"):
        return float(size[0] * size[-1])
    return float(size[0]) if name == "compress" else float(size[-1])
