from __future__ import annotations

import time

import pytest
from torchdoctor.probes.reports.pasted import read_text
from torchdoctor.probes.reports.reading import CLAIMED, MEASURED, clean, open_reading


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\u2190[34mDEBUG\u2190[39m uv", "DEBUG uv"),
        ("^[[32mok^[[0m", "ok"),
        ("a\x00b\x07c\x7f", "abc"),
        ("line\r\nnext\rlast", "line\nnext\nlast"),
        ("GPU\uff1a A10\u00a0G", "GPU: A10 G"),
        ("\u202eevil\u202c", "evil"),
        ("\u201cquoted\u201d", '"quoted"'),
        ("&gt; couldn&#39;t &amp; &quot;so&quot; R&D;", '> couldn\'t & "so" R&D;'),
    ],
)
def test_clean(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@pytest.mark.parametrize(
    "prefix",
    [
        "Mar 11 22:05:40 nas forge[2201]: ",
        "2026-05-01T12:34:56.123456+00:00 gold kernel: ",
        "Jun  3 09:11:02 mbp com.me.job[991]: ",
        "2024-11-03 04:12:55,101 - worker - ERROR - ",
        "[2025-03-02 20:14:07.551] ",
        "4. ",
        "2) ",
        "vllm-1  | ",
        "#18 0.741 ",
        "2024-05-01T12:34:56.1234567Z ",
        "(EngineCore_0 pid=123) ",
        "INFO 03-22 04:41:48 [loader.py:190] ",
    ],
)
def test_log_prefixes_are_cut(prefix: str) -> None:
    assert open_reading(prefix + "torch.cuda.is_available() = False").lines == ["torch.cuda.is_available() = False"]


def test_the_best_ranked_answer_wins_and_names_its_line() -> None:
    reading = open_reading("first\nsecond")
    reading.put("system.os", "linux", 0, CLAIMED)
    reading.put("system.os", "windows", 1, MEASURED)
    facts = reading.draft.build()
    assert facts.system.os == "windows"
    assert facts.sources["system.os"] == "line 2: second"


def test_a_fuller_python_version_wins_over_a_shorter_of_higher_rank() -> None:
    reading = open_reading("a\nb\nc")
    reading.put("python.version", "3.13", 0, MEASURED)
    reading.put("python.version", "3.13.8", 1, CLAIMED)
    reading.put("python.version", "3.13", 2, MEASURED + 5)
    assert reading.draft.value("python.version") == "3.13.8"


def test_sources_are_short_and_hold_no_credentials() -> None:
    reading = open_reading("Looking in indexes: https://user:secret@example.com/simple " + "x" * 400)
    assert "secret" not in reading.source(0)
    assert len(reading.source(0)) < 180


def test_line_numbers_count_what_was_left_out() -> None:
    text = "PyTorch version: 2.6.0\n" + "filler\n" * 120_000 + "Nvidia driver version: 535.183.01"
    facts = read_text(text, "long").draft.build()
    assert facts.torch.version == "2.6.0"
    assert facts.sources["drivers.nvidia.version"].startswith("line 120002: ")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 3_000_000,
        '"' * 1_000_000,
        '{"a":' * 200_000,
        "[" * 1_000_000,
        "\x1b]" * 500_000,
        "\n" * 3_000_000,
        ("torch 2.6.0 on GPU 0: RTX 4090 " * 120 + "\n") * 150,
        ("Could not find a version that satisfies the requirement torch (from versions: " * 50 + "\n") * 100,
        ("Requirement already satisfied: a in b " * 100 + "\n") * 100,
        ("image docker run " * 200 + "\n") * 100,
        ("| 0 " + " " * 3000 + "a\n") * 100,
        "\n".join(f"GPU: NVIDIA RTX {n}" for n in range(1000, 9000)),
    ],
    ids=lambda t: t[:12].encode("unicode_escape").decode(),
)
def test_hostile_text_costs_little(text: str) -> None:
    before = time.process_time()
    read_text(text, "hostile").draft.build()
    assert time.process_time() - before < 5


def test_no_escape_sequence_reaches_a_fact() -> None:
    facts = read_text(
        "OS: \x1b[31mUbuntu 22.04\x1b[0m\nGPU: \x1b]0;x\x07NVIDIA GeForce RTX 4090\nError 802: \x1b[1mbold\n", "e"
    ).draft.build()
    assert facts.system.name == "Ubuntu"
    assert all("\x1b" not in text for text in facts.sources.values())
    assert facts.symptoms and all("\x1b" not in (s.text or "") for s in facts.symptoms)


@pytest.mark.parametrize("line", ["[2025] torch", "2.6.0 torch", "12. 6.0", "May be torch", "[1] torch", "3.torch"])
def test_what_only_looks_like_a_prefix_stays(line: str) -> None:
    assert open_reading(line).lines == [line]


def test_a_question_asked_at_every_line_is_answered_once() -> None:
    reading = open_reading("torch and rocm\n")
    assert reading.has("xpu", "rocm") and reading.has("xpu", "rocm") and not reading.has("xpu")
    assert reading.asked == {("xpu", "rocm"): True, ("xpu",): False}


def test_a_quoted_block_is_read_as_it_was_printed() -> None:
    reading = open_reading(
        "he wrote:\n> $ pip list\n> Package  Version\n> -------- -------\n> torch    2.6.0\n>\nso?\n> one\n"
    )
    assert reading.lines[1:6] == ["$ pip list", "Package  Version", "-------- -------", "torch    2.6.0", ""]
    assert reading.lines[7] == "> one"  # a prompt, as far as is known
    assert open_reading(">>> a\n>>> b\n>>> c\n>>> d\n").lines[0] == ">>> a"


@pytest.mark.parametrize(
    "prefix",
    [
        "2025-03-04 10:11:12,345 - INFO - ",
        "[2025-03-04 10:11:12] INFO: ",
        "2025-03-04T10:11:12.345 WARNING ",
        "10:22:40-123456 INFO     ",
    ],
)
def test_what_a_log_puts_before_its_lines(prefix: str) -> None:
    assert open_reading(f"{prefix}torch version: 2.6.0+cpu").lines == ["torch version: 2.6.0+cpu"]


def test_how_things_were_is_forgotten_where_it_is_said_how_they_are() -> None:
    before = "Before: sm_120 is not compatible with the current PyTorch installation."
    assert open_reading(f"{before}\nAfter the update: torch 2.7.1").lines == ["", "After the update: torch 2.7.1"]
    assert open_reading(f"{before}\nand then").lines[0] == before
