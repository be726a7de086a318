"""The ``gpus`` command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result
from torchdoctor.commands.gpus import command


def run(*args: str) -> Result:
    return CliRunner().invoke(command, list(args))


def answer(*args: str) -> dict[str, Any]:
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.output
    data: dict[str, Any] = json.loads(result.output)
    return data


def wheel(gpu: dict[str, Any], variant: str, platform: str) -> dict[str, Any] | None:
    return next((w for w in gpu["wheels"] if (w["variant"], w["platform"]) == (variant, platform)), None)


def test_a_card_by_name() -> None:
    data = answer("rtx", "4090")
    assert (data["schema"], data["query"]) == ("torchdoctor/gpus/1", "rtx 4090")
    (gpu,) = data["gpus"]
    assert (gpu["name"], gpu["chip"], gpu["compute_capability"], gpu["architecture"]) == (
        "GeForce RTX 4090",
        "AD102",
        "8.9",
        "Ada",
    )
    assert gpu["driver"]["first"] == {"branch": "520", "linux": "520.61.05", "windows": "520.06"}
    assert gpu["driver"]["last_branch"] is None
    newest = wheel(gpu, "cu132", "linux_x86_64")
    assert newest is not None and newest["driver"] == "580" and "2.15.0" in newest["releases"]


def test_an_old_card_ends_with_an_old_variant() -> None:
    (gpu,) = answer("GTX 1080 Ti")["gpus"]
    assert gpu["driver"]["last_branch"] == "580"
    assert wheel(gpu, "cu130", "linux_x86_64") is None
    kept = wheel(gpu, "cu126", "linux_x86_64")
    assert kept is not None and (kept["driver"], kept["releases"][-1]) == ("525.60.13", "2.14.1")


def test_a_new_card_needs_its_first_driver_even_for_cuda_12() -> None:
    (gpu,) = answer("RTX 5090")["gpus"]
    row = wheel(gpu, "cu128", "linux_x86_64")
    assert row is not None and row["driver"] == "570"
    assert wheel(gpu, "cu124", "linux_x86_64") is None


def test_amd_and_intel() -> None:
    (card,) = answer("RX 9070 XT")["gpus"]
    assert card["gfx"] == "gfx1201" and card["driver"] is None
    assert {w["platform"] for w in card["wheels"]} == {"linux_x86_64"}
    (arc,) = answer("Arc B580")["gpus"]
    assert arc["xpu"] is True and wheel(arc, "xpu", "windows_amd64") is not None
    (server,) = answer("Max 1550")["gpus"]
    assert wheel(server, "xpu", "linux_x86_64") is not None and wheel(server, "xpu", "windows_amd64") is None
    (old,) = answer("Iris Xe")["gpus"]
    assert old["xpu"] is False and old["wheels"] == []


def test_an_ambiguous_name_shows_each_chip() -> None:
    assert [gpu["compute_capability"] for gpu in answer("GT 730")["gpus"]] == ["2.1", "3.0", "3.5"]


def test_text_tells_the_same() -> None:
    text = run("gtx 1080 ti").output
    assert "compute capability   6.1" in text
    assert "last driver          branch 580" in text
    assert "cu126     2.6.0 to 2.14.1  driver 525.60.13  linux_x86_64" in text
    assert "none of a release that the matrix holds" in run("GT 730").output
    assert "not listed by PyTorch" in run("UHD Graphics 770").output
    assert max(map(len, text.splitlines())) <= 100


def test_the_listing_holds_every_generation() -> None:
    text = run().output
    for word in (
        "12.0     Blackwell",
        "7.0      Volta            384-580",
        "gfx1100  RDNA 3",
        "gfx942   CDNA 3",
        "Xe2",
    ):
        assert word in text
    assert max(map(len, text.splitlines())) <= 100
    rows = answer()["gpus"]
    assert {row["vendor"] for row in rows} == {"nvidia", "amd", "intel"}
    assert text.isascii()


@pytest.mark.parametrize(
    ("name", "near"), [("RTX 4099", "GeForce RTX 4090"), ("Radeon RX 7901 XTX", "Radeon RX 7900 XTX")]
)
def test_an_unknown_name_gets_the_nearest_ones(name: str, near: str) -> None:
    result = run(name)
    assert result.exit_code == 2
    assert near in result.output


def test_a_name_like_nothing() -> None:
    result = run("qqqqqqqqqq" * 500)
    assert result.exit_code == 2
    assert "nearest" not in result.output and len(result.output) < 400
