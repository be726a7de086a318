from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torchdoctor.probes.draft import Draft
from torchdoctor.probes.facts import Distribution, Facts
from torchdoctor.probes.installed import examine
from torchdoctor.probes.live import LiveHost
from torchdoctor.probes.recorder import Recorder
from torchdoctor.probes.recording import load_recording

Sites = Callable[..., Any]


class OnlyInside(LiveHost):
    """Refuses whatever lies outside a folder."""

    def __init__(self, root: Path) -> None:
        super().__init__({})
        self.root, self.outside = str(root), list[str]()

    def read(self, path: str, limit: int = 1 << 20) -> Any:
        self._note(path)
        return super().read(path, limit)

    def listing(self, path: str) -> Any:
        self._note(path)
        return super().listing(path)

    def code(self, path: str, every: bool = False) -> Any:
        self._note(path)
        return super().code(path, every)

    def _note(self, path: str) -> None:
        if not os.path.normpath(path).startswith(self.root):
            self.outside.append(path)


def _facts(*folders: Path, prefix: Path | None = None, host: LiveHost | None = None) -> Facts:
    draft = Draft()
    examine(host or LiveHost({}), draft, [str(f) for f in folders], prefix=str(prefix) if prefix else None)
    return draft.build()


def _row(facts: Facts, name: str) -> Distribution:
    return next(d for d in facts.distributions or () if d.name == name)


def test_a_stock_cuda_wheel(site: Sites) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]] * 4)
    place.add("numpy", "2.1.0")
    place.add("leftpad", "1.0")
    facts = _facts(place.root)
    assert facts.packages == {"torch": "2.5.1", "numpy": "2.1.0"}
    assert facts.torch.version == "2.5.1+cu124"
    assert facts.torch.variant == "cu124"
    assert facts.torch.cuda == "12.4"
    assert facts.torch.origin == "wheel"
    assert facts.torch.kernels == ("sm_80", "sm_90")
    assert facts.torch.path == f"{place.root}/torch"
    assert facts.source("torch.kernels") == f"{place.root}/torch/lib/libtorch_cuda.so"
    assert _row(facts, "torch").machines == ("x86_64",)
    assert _row(facts, "torch").tags == ("cp312-cp312-linux_x86_64",)


@pytest.mark.parametrize(
    ("version", "cuda", "hip", "variant", "origin"),
    [
        ("2.15.0+cu132", "13.2", None, "cu132", "wheel"),
        ("2.5.1+cpu", None, None, "cpu", "wheel"),
        ("2.7.1+rocm6.2.4", None, "6.2.41134-65d174c3e", "rocm6.2.4", "wheel"),
        ("2.8.0+xpu", None, None, "xpu", "wheel"),
        ("2.16.0.dev20261101+cu132", "13.2", None, "cu132", "nightly"),
        ("2.6.0a0+ecf3bae40a.nv25.01", "12.8", None, "cu128", "vendor"),
        ("2.6.0a0+git1eba9b3", "12.6", None, "cu126", "source"),
        ("2.9.1+rocm7.11.0a20260112", None, "7.11.26015", "rocm7.11", None),
    ],
)
def test_variant_and_origin(
    site: Sites, version: str, cuda: str | None, hip: str | None, variant: str, origin: str | None
) -> None:
    place = site()
    place.torch(version, cuda=cuda, hip=hip)
    facts = _facts(place.root)
    assert (facts.torch.version, facts.torch.variant, facts.torch.origin) == (version, variant, origin)


def test_a_torch_folder_without_metadata_is_an_installation(site: Sites) -> None:
    place = site()
    place.torch("2.4.0+cu121", dist=False)
    facts = _facts(place.root)
    assert facts.packages == {"torch": "2.4.0+cu121"}
    assert facts.torch.origin is None
    assert _row(facts, "torch").location == str(place.root)


def test_an_editable_torch(site: Sites) -> None:
    place = site()
    info = place.torch("2.6.0a0+git1234567")
    (info / "direct_url.json").write_text('{"dir_info": {"editable": true}, "url": "file:///src/pytorch"}')
    assert _facts(place.root).torch.origin == "editable"


def test_the_first_torch_on_the_path_is_the_one_imported(site: Sites) -> None:
    user, system = site("user"), site("system")
    user.torch("2.6.0+cu124")
    system.torch("2.8.0+cu128")
    facts = _facts(user.root, system.root)
    assert facts.torch.version == "2.6.0+cu124"
    assert [d.location for d in facts.distributions or ()] == [str(user.root), str(system.root)]


def test_an_environment_without_torch_is_known_to_have_none(site: Sites) -> None:
    place = site()
    place.add("numpy", "1.26.4")
    facts = _facts(place.root)
    assert facts.packages == {"numpy": "1.26.4"}
    assert facts.torch.version is None
    assert facts.distributions == ()


def test_requirements_on_torch_make_a_package_relevant(site: Sites) -> None:
    place = site()
    place.add("some-trainer", "1.0", requires=["torch>=2.0", "rich", 'torchaudio; extra == "audio"'])
    place.add("other", "1.0", requires=['torch; extra == "torch"'])
    facts = _facts(place.root)
    assert facts.packages == {"some-trainer": "1.0"}
    assert _row(facts, "some-trainer").requires == ("torch>=2.0",)


def test_a_compiled_extension_is_opened(site: Sites, binaries: Any) -> None:
    place = site()
    library = binaries["elf"](
        {".nv_fatbin": binaries["fat_binary"]([["sm_80"], ["sm_80", "sm_90"]])}, needs=["libc.so.6", "libcudart.so.12"]
    )
    place.add(
        "flash-attn",
        "2.6.3",
        requires=["torch", "einops"],
        tag="cp312-cp312-linux_x86_64",
        files={"flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so": library, "flash_attn/__init__.py": ""},
    )
    row = _row(_facts(place.root), "flash-attn")
    assert row.kernels == ("sm_80", "sm_90")
    assert row.needs == ("libcudart.so.12",)
    assert row.libraries == ("flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so",)
    assert row.machines == ("x86_64",)


def test_torchvision_says_its_variant_in_its_version_file(site: Sites) -> None:
    place = site()
    place.add(
        "torchvision",
        "0.20.1",
        tag="cp312-cp312-linux_x86_64",
        files={"torchvision/version.py": "__version__ = '0.20.1+cu124'\n"},
    )
    assert _row(_facts(place.root), "torchvision").variant == "cu124"


def test_conda_packages_and_their_channel(site: Sites, tmp_path: Path) -> None:
    place = site()
    place.torch("2.3.0", installer="conda", tag="cp311-cp311-linux_x86_64", cuda="12.1")
    meta = tmp_path / "conda-meta"
    meta.mkdir()
    (meta / "pytorch-2.3.0-py3.11_cuda12.1_cudnn8.9.2_0.json").write_text(
        '{"build": "py3.11_cuda12.1_cudnn8.9.2_0", "channel": "https://conda.anaconda.org/pytorch/linux-64"}'
    )
    (meta / "mkl-2024.1.0-ha957f24_693.json").write_text("{}")
    (meta / "history").write_text("")
    (meta / "broken.json").write_text("{")
    facts = _facts(place.root, prefix=tmp_path)
    assert facts.torch.origin == "conda"
    assert facts.packages is not None and facts.packages["mkl"] == "2024.1.0"
    row = _row(facts, "pytorch")
    assert (row.channel, row.build) == ("pytorch", "py3.11_cuda12.1_cudnn8.9.2_0")


def test_old_egg_info_counts(site: Sites) -> None:
    place = site()
    (place.root / "torch-1.13.1-py3.8.egg-info").mkdir()
    (place.root / "numpy.egg-info").mkdir()
    (place.root / "numpy.egg-info" / "PKG-INFO").write_text("Name: numpy\nVersion: 1.24.0\n\n")
    assert _facts(place.root).packages == {"torch": "1.13.1", "numpy": "1.24.0"}


# ---- broken environments


def test_broken_metadata_is_unknown(site: Sites) -> None:
    place = site()
    (place.root / "torch-.dist-info").mkdir()
    (place.root / "numpy-x y.dist-info").mkdir()
    info = place.root / "vllm-not.a.version!.dist-info"
    info.mkdir()
    (info / "METADATA").write_bytes(b"\xff\xfe\x00\x00Version: \x80\n")
    facts = _facts(place.root)
    assert facts.packages == {}
    assert "names no version" in facts.unknown["packages.torch"]
    assert set(facts.unknown) == {"packages.torch", "packages.numpy", "packages.vllm"}


@pytest.mark.parametrize("name", ["..%2f..-1.0", "~orch-2.5.1", "-1.0", "a b-1", "\u202etorch-2.0", "torch\n-1.0"])
def test_a_folder_named_like_no_distribution(site: Sites, name: str) -> None:
    place = site()
    (place.root / f"{name}.dist-info").mkdir()
    (place.root / f"{name}.dist-info" / "METADATA").write_text("Name: ../../etc\nVersion: 1.0\n\n")
    host = OnlyInside(place.root)
    facts = _facts(place.root, host=host)
    assert facts.packages == {}
    assert any(reason.endswith("named like no distribution") for reason in facts.unknown.values())
    assert host.outside == []


def test_a_record_cannot_lead_outside(site: Sites, tmp_path: Path, binaries: Any) -> None:
    place = site()
    (tmp_path / "secret.so").write_bytes(binaries["elf"]({".text": b"x"}, needs=["libcudart.so.11"]))
    info = place.add("xformers", "0.0.28", requires=["torch"], tag="cp312-cp312-linux_x86_64")
    (info / "RECORD").write_text(
        f"../secret.so,,\n{tmp_path}/secret.so,,\nC:\\secret.so,,\n~/x.so,,\na/../../secret.so,,\n"
    )
    host = OnlyInside(place.root)
    row = _row(_facts(place.root, host=host), "xformers")
    assert (row.libraries, row.needs) == ((), None)
    assert host.outside == []


def test_a_symlink_loop_ends(site: Sites) -> None:
    place = site()
    (place.root / "torch").symlink_to("torch")
    (place.root / "loop-1.0.dist-info").symlink_to("loop-1.0.dist-info")
    (place.root / "self").symlink_to(place.root)
    facts = _facts(place.root, place.root / "self" / "self")
    assert facts.torch.version is None
    assert facts.distributions == ()


def test_a_module_path_that_is_a_loop_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "site").symlink_to("site")
    facts = _facts(tmp_path / "site")
    assert facts.packages is None
    assert "packages" in facts.unknown and "torch.version" in facts.unknown


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_proves_nothing(site: Sites) -> None:
    place = site()
    place.root.chmod(0)
    try:
        facts = _facts(place.root)
    finally:
        place.root.chmod(0o755)
    assert facts.packages is None
    assert "may not be read" in facts.unknown["packages"]


def test_a_folder_that_may_not_be_read(site: Sites) -> None:
    place = site()

    class Closed(LiveHost):
        def listing(self, path: str) -> Any:
            from torchdoctor.probes.host import DENIED, Answer

            return Answer(status=DENIED, detail=f"{path} may not be read")

    facts = _facts(place.root, host=Closed({}))
    assert facts.packages is None
    assert facts.distributions is None
    assert facts.unknown["torch.version"].endswith("may not be read")


def test_torch_in_a_readable_folder_is_known_though_another_is_closed(site: Sites) -> None:
    place = site()
    place.torch("2.5.1+cpu")

    class Partly(LiveHost):
        def listing(self, path: str) -> Any:
            from torchdoctor.probes.host import DENIED, Answer

            return Answer(status=DENIED, detail="closed") if path.endswith("closed") else super().listing(path)

    facts = _facts(place.root, place.root / "closed", host=Partly({}))
    assert facts.torch.version == "2.5.1+cpu"
    assert facts.packages == {"torch": "2.5.1"}


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert _facts(tmp_path / "gone", tmp_path / "python312.zip").packages == {}


def test_a_version_file_full_of_noise(site: Sites) -> None:
    place = site()
    place.torch("2.5.1+cpu")
    (place.root / "torch/version.py").write_bytes(b"\xff" * 5000 + b"\n__version__ = \n")
    facts = _facts(place.root)
    assert facts.torch.version is None
    assert facts.packages == {"torch": "2.5.1"}


def test_a_library_that_cannot_be_listed_is_said(site: Sites) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80"]])
    (place.root / "torch/lib/libtorch_cuda.so").write_bytes(b"cut short")
    facts = _facts(place.root)
    assert facts.torch.kernels is None
    assert "could not be listed" in facts.unknown["torch.kernels"]


def test_many_distributions_are_read_once_each(site: Sites) -> None:
    place = site()
    for number in range(50):
        place.add(f"package-{number}", "1.0", requires=["rich", "click>=8"])
    host = OnlyInside(place.root)
    reads = list[str]()
    original = host.read

    def counting(path: str, limit: int = 1 << 20) -> Any:
        reads.append(path)
        return original(path, limit)

    host.read = counting  # type: ignore[method-assign]
    assert _facts(place.root, host=host).packages == {}
    assert len(reads) == len(set(reads)) == 50


def test_a_recording_gives_the_same_and_tells_nothing_of_authors(site: Sites, binaries: Any, tmp_path: Path) -> None:
    place = site()
    place.torch("2.5.1+cu124", kernels=[["sm_80", "sm_90"]] * 200, requires=["nvidia-cublas-cu12 (==12.4.5.8)"])
    library = binaries["elf"]({".nv_fatbin": binaries["fat_binary"]([["sm_80"]])}, needs=["libcudart.so.12"])
    info = place.add(
        "xformers",
        "0.0.28",
        requires=["torch==2.5.1"],
        tag="cp312-cp312-linux_x86_64",
        files={"xformers/_C.so": library},
    )
    text = (info / "METADATA").read_text().replace("Version:", "Author-email: jane@corp.example\nVersion:", 1)
    (info / "METADATA").write_text(text)
    place.add("private-thing", "1.0")
    recorder, live = Recorder(LiveHost({})), Draft()
    examine(recorder, live, [str(place.root)])
    file = tmp_path / "recording.zip"
    file.write_bytes(recorder.to_zip(None, "test"))
    replayed = Draft()
    examine(load_recording(str(file)), replayed, [str(place.root)])
    assert replayed.build() == live.build()
    assert _row(replayed.build(), "xformers").kernels == ("sm_80",)
    with zipfile.ZipFile(file) as archive:
        assert not any(
            b"jane" in archive.read(name) or b"A description" in archive.read(name) for name in archive.namelist()
        )


def test_a_folder_twice_by_a_link_is_one(site: Sites, tmp_path: Path) -> None:
    place = site()
    place.torch("2.5.1+cpu")
    (tmp_path / "lib64").symlink_to("site-packages")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "again").symlink_to("../lib64")
    facts = _facts(place.root, tmp_path / "lib64", tmp_path / "deep" / "again")
    assert [d.location for d in facts.distributions or ()] == [str(place.root)]


def test_two_folders_with_the_same_names_are_two(site: Sites) -> None:
    one, two = site("one"), site("two")
    one.torch("2.5.1+cpu")
    two.torch("2.5.1+cpu")
    assert len(_facts(one.root, two.root).distributions or ()) == 2
