"""Builds the native transport core; everything else is in pyproject.toml."""

import sys

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import setup

ParallelCompile("MONGE_BUILD_JOBS", default=0).install()

optimise = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-pthread"]

setup(
    ext_modules=[
        Pybind11Extension(
            "monge.transport._native",
            sources=["src/monge/transport/native/module.cpp"],
            cxx_std=17,
            extra_compile_args=optimise,
            extra_link_args=[] if sys.platform == "win32" else ["-pthread"],
        )
    ]
)
