from __future__ import annotations

import sys

import pytest
from torchdoctor.probes.distribution import distribution, parse_os_release, release_file_names


def test_quotes_escapes_and_comments() -> None:
    text = '# about\nNAME="My \\"Own\\" Linux"\nVERSION_ID=5.0 # not this\nID=\'own\'\nnot a line\nPRETTY_NAME="A # B"\r\nEMPTY=\n'
    assert parse_os_release(text) == {
        "NAME": 'My "Own" Linux', "VERSION_ID": "5.0", "ID": "own", "PRETTY_NAME": "A # B", "EMPTY": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('NAME="Ubuntu"\nVERSION_ID="24.04"\n', ("Ubuntu", "24.04")),
        ('NAME="Arch Linux"\nID=arch\nBUILD_ID=rolling\n', ("Arch Linux", None)),
        ('NAME="Slackware"\nPRETTY_NAME="Slackware 15.0"\n', ("Slackware", "15.0")),
        ("\ufeffNAME=Photon\nVERSION_ID=5.0\n", ("Photon", "5.0")),
        ("NAME=\"cut off\nVERSION_ID=9\n", ("cut off", "9")),
        ('ID=fedora\nVERSION_ID=33\nPRETTY_NAME="Fedora 33 (Container Image)"\n', ("fedora", "33")),
        ("", (None, None)),
        (None, (None, None)),
    ],
)  # fmt: skip
def test_os_release(text: str | None, found: tuple[str | None, str | None]) -> None:
    assert distribution(text) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Red Hat Enterprise Linux Server release 6.10 (Santiago)", ("Red Hat Enterprise Linux Server", "6.10")),
        ("Slackware 14.2", ("Slackware", "14.2")),
        (
            "SUSE Linux Enterprise Server 11 (x86_64)\nVERSION = 11\nPATCHLEVEL = 3\n",
            ("SUSE Linux Enterprise Server", "11"),
        ),
        ("Arch Linux", ("Arch Linux", None)),
        ("Own GNU/Linux x86_64-pc-linux-gnu", (None, None)),
        ("\x00\x01binary", (None, None)),
        ("# R36 (release), REVISION: 4.3, GCID: 1", (None, None)),
        ("", (None, None)),
    ],
)
def test_one_line_files(line: str, found: tuple[str | None, str | None]) -> None:
    assert distribution(None, release_files={"x-release": line}) == found


def test_debian_testing_names_its_version_elsewhere() -> None:
    text = 'NAME="Debian GNU/Linux"\nID=debian\nPRETTY_NAME="Debian GNU/Linux forky/sid"\n'
    assert distribution(text, debian_version="forky/sid\n") == ("Debian GNU/Linux", "forky/sid")
    assert distribution("NAME=Fedora\nID=fedora\n", debian_version="forky/sid\n") == ("Fedora", None)


def test_lsb_release_fills_in() -> None:
    assert distribution(None, lsb_release="Distributor ID:\tUbuntu\nRelease:\t10.04\n") == ("Ubuntu", "10.04")
    assert distribution(None, lsb_file="DISTRIB_ID=Ubuntu\nDISTRIB_RELEASE=10.04\n") == ("Ubuntu", "10.04")


def test_files_about_something_else_are_passed_over() -> None:
    names = (
        "os-release",
        "lsb-release",
        "redhat-release",
        "centos-release",
        "system-release",
        "debian_version",
        "release-notes",
    )
    assert release_file_names(names) == ["centos-release", "redhat-release"]


def test_without_distro_the_old_files_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distro", None)
    assert distribution(None, release_files={"centos-release": "CentOS release 6.7 (Final)"}) == (None, None)
    assert distribution("NAME=Fedora\nVERSION_ID=42\n") == ("Fedora", "42")


def test_systems_older_than_os_release() -> None:
    assert distribution(None, release_files={"alpine-release": "3.4.6\n"}) == ("Alpine Linux", "3.4.6")
    assert distribution(None, debian_version="6.0.10\n") == ("Debian GNU/Linux", "6.0.10")
    assert distribution(None, debian_version="wheezy/sid\n") == (None, None)
    assert distribution(None, lsb_file="DISTRIB_ID=Ubuntu\n", debian_version="6.0\n") == ("Ubuntu", None)


def test_an_escape_outside_quotes() -> None:
    assert distribution("NAME=Foo\nVERSION_ID=1\\.2\n") == ("Foo", "1.2")
