from __future__ import annotations

import os
import socket

import pytest
from torchdoctor.probes import live_identity
from torchdoctor.probes.live_identity import identity


@pytest.fixture(autouse=True)
def _no_interfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_identity, "_addresses", lambda: {"192.0.2.7", "02:00:5e:10:00:01"})


def test_names_come_from_the_environment_the_account_and_the_network() -> None:
    found = identity({"USER": "ada", "HOME": "/home/ada", "HOSTNAME": "box.example.org"})
    assert "ada" in found.users
    assert "/home/ada" in found.homes
    assert {"box.example.org", socket.gethostname()} <= set(found.hosts)
    assert found.addresses == ("02:00:5e:10:00:01", "192.0.2.7")
    assert os.path.expanduser("~") in found.homes


def test_secrets_are_told_by_the_name_of_their_variable_or_their_place_in_a_url() -> None:
    found = identity(
        {
            "HF_TOKEN": "hf_abcdef",
            "DB_PASSWORD": "true",  # a switch
            "API_KEY_COUNT": "12",  # a number
            "SSH_AUTH_SOCK": "/tmp/agent.1",  # a path
            "PIP_INDEX_URL": "https://robot:s3cret@mirror.example/simple",
            "PATH": "/usr/bin",
        }
    )
    assert found.secrets == ("hf_abcdef", "robot", "s3cret")


def test_empty_variables_are_no_names() -> None:
    found = identity({"USER": "", "HOSTNAME": "", "MY_TOKEN": ""})
    assert "" not in (*found.users, *found.hosts, *found.homes)
    assert all(found.secrets)
