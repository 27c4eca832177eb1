"""Builds the wheel `tfc-jax` of a library that is there already.

    cargo build --release -p tfc-pjrt
    python3 crates/pjrt/python/build_wheel.py target/release/libpjrt_tfc.so --out target/wheels
"""
import argparse
import base64
import hashlib
import pathlib
import platform
import re
import zipfile

HERE = pathlib.Path(__file__).parent
NAME = "tfc_jax"


def version() -> str:
    """The workspace's, which `Cargo.toml` says."""
    text = (HERE / "../../../Cargo.toml").resolve().read_text()
    return re.search(r'^\[workspace\.package\]\s*^version = "([^"]+)"', text, re.M).group(1)


def tag() -> str:
    """Of this machine: the library needs the C library that it was built with, or a later one."""
    machine = platform.machine()
    if platform.system() == "Darwin":
        return f"py3-none-macosx_11_0_{machine}"
    libc, number = platform.libc_ver()
    if libc != "glibc":
        return f"py3-none-linux_{machine}"
    major, minor = number.split(".")[:2]
    return f"py3-none-manylinux_{major}_{minor}_{machine}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("target/wheels"))
    given = parser.parse_args()
    made, about = version(), f"{NAME}-{version()}.dist-info"
    files = {f"jax_plugins/tfc/{p.name}": p.read_bytes() for p in sorted((HERE / "jax_plugins/tfc").glob("*.py"))}
    files |= {f"tfc_jax/{p.name}": p.read_bytes() for p in sorted((HERE / "tfc_jax").glob("*.py"))}
    files[f"jax_plugins/tfc/{given.library.name}"] = given.library.read_bytes()
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: tfc-jax\nVersion: {made}\n"
        "Summary: JAX programs run by tfc: JAX_PLATFORMS=tfc\nLicense: MIT OR Apache-2.0\n"
        "Requires-Python: >=3.10\nRequires-Dist: jax>=0.6\n"
    ).encode()
    files[f"{about}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tfc\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    ).encode()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / f"{NAME}-{made}-{tag()}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            # The same bytes for the same files, whenever it is built.
            wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    print(path)


if __name__ == "__main__":
    main()
