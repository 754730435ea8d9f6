"""The packages of the wheel: ircourse, and the root's data folder as ircourse.data. See pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["ircourse", "ircourse.*"]), "ircourse.data"],
    package_dir={"ircourse.data": "data"},
    package_data={"ircourse.data": ["*", "**/*"], "ircourse.engine.server": ["assets/*"]},
)
