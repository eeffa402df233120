"""Builds the native transport core and the reader of the store; everything else is in pyproject.toml."""

import sys
from glob import glob

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension, build_ext
from setuptools import setup
from setuptools.errors import BaseError, CompileError

NATIVE = "src/monge/transport/native"
WINDOWS = sys.platform == "win32"
COMPILE = ["/O2", "/fp:precise", "/utf-8"] if WINDOWS else ["-O3", "-fno-math-errno", "-pthread"]

ParallelCompile("MONGE_BUILD_JOBS", default=0).install()


class BuildNative(build_ext):
    """Says what is missing when the compiler is."""

    def run(self) -> None:
        try:
            super().run()
        except (BaseError, CompileError, OSError) as error:
            raise CompileError(
                "monge's native parts are C++17 and could not be compiled. Install a C++ compiler (Debian/Ubuntu: "
                "apt install g++; macOS: xcode-select --install; Windows: Visual Studio Build Tools) or point CXX "
                f"to one, then install again. The compiler said: {error}"
            ) from error


setup(
    cmdclass={"build_ext": BuildNative},
    ext_modules=[
        Pybind11Extension(
            "monge.transport._native",
            sources=sorted(glob(f"{NATIVE}/*.cpp")),
            depends=sorted(glob(f"{NATIVE}/*.hpp") + glob(f"{NATIVE}/*.inc")),
            cxx_std=17,
            extra_compile_args=COMPILE,
            extra_link_args=[] if WINDOWS else ["-pthread"],
        ),
        Pybind11Extension(
            "monge.storage._reading",
            sources=["src/monge/storage/native/reading.cpp"],
            cxx_std=17,
            extra_compile_args=COMPILE,
        ),
    ],
)
