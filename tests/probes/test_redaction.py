from __future__ import annotations

import pytest
from torchdoctor.probes.redaction import Identity, Redactor

ALICE = Identity(
    users=("alice", "Alice Example", "root"),
    homes=("/home/alice", "/root"),
    hosts=("alices-tower", "alices-tower.example.org", "vm"),
    addresses=("10.20.30.40", "fe80::1c2d:3eff:fe4f:5a6b"),
    secrets=("hunter2hunter2",),
)


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(ALICE)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/alice/venv/bin/python", "/home/user/venv/bin/python"),
        ("/root/.pyenv/shims:/root", "/home/user/.pyenv/shims:/home/user"),
        ("/rootfs and /root2 stay", "/rootfs and /root2 stay"),
        ("/home/bob/x and /home/bob/y, /home/carol", "/home/user2/x and /home/user2/y, /home/user3"),
        ("/Users/alice/Library", "/home/user/Library"),
        ("C:\\Users\\alice\\AppData", "C:\\Users\\user\\AppData"),
        ('"C:\\\\Users\\\\dora\\\\x"', '"C:\\\\Users\\\\user2\\\\x"'),
        ("/home/linuxbrew/.linuxbrew /Users/Shared", "/home/linuxbrew/.linuxbrew /Users/Shared"),
        ("drwx alice alice, Alice Example", "drwx user user, user"),
        ("malice in alices", "malice in alices"),
        ("root is on every machine", "root is on every machine"),
        ("Linux alices-tower 6.8", "Linux host 6.8"),
        ("ALICES-TOWER.example.org", "host"),
        ("PASS hunter2hunter2 there", "PASS removed there"),
    ],
)
def test_names_and_homes(redactor: Redactor, text: str, clean: str) -> None:
    assert redactor.text(text) == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://bob:pw@mirror.example/simple", "https://mirror.example/simple"),
        ("https://mirror.example/simple?token=abc123", "https://mirror.example/simple?token=removed"),
        ("key hf_abcdefghijklmnopqrstuv end", "key removed end"),
        ("ghp_" + "a1" * 18, "removed"),
        ("password = swordfish9", "password = removed"),
        ('"api_key": "0123456789abcdef"', '"api_key": "removed"'),
        ("Authorization: Bearer abcdefghijkl", "Authorization: Bearer removed"),
        ("tokenizers 0.20.1", "tokenizers 0.20.1"),
    ],
)
def test_secrets(redactor: Redactor, text: str, clean: str) -> None:
    assert redactor.text(text) == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("inet 10.20.30.40/24 brd 10.20.30.255", "inet 0.0.0.0/24 brd 0.0.0.0"),
        ("client 203.0.113.9 connected", "client 0.0.0.0 connected"),
        ("http://192.168.1.7:8080/simple", "http://0.0.0.0:8080/simple"),
        ("Driver Version: 32.0.15.8088", "Driver Version: 32.0.15.8088"),
        ("CUDA driver 10.1.2.3 at 172.16.4.9", "CUDA driver 10.1.2.3 at 0.0.0.0"),
        ("nvidia_cublas_cu12-12.4.5.8.dist-info", "nvidia_cublas_cu12-12.4.5.8.dist-info"),
        ("VBIOS 95.02.3C.00.01", "VBIOS 95.02.3C.00.01"),
        ("0000:01:00.0 VGA", "0000:01:00.0 VGA"),
        ("link/ether 52:54:00:ab:cd:ef brd", "link/ether 00:00:00:00:00:00 brd"),
        ("inet6 2001:db8::8a2e:370:7334 scope", "inet6 :: scope"),
        ("0::/user.slice", "0::/user.slice"),
        ("std::string a::b", "std::string a::b"),
        ("from alice@example.org today", "from user@host today"),
    ],
)
def test_addresses(redactor: Redactor, text: str, clean: str) -> None:
    assert redactor.text(text) == clean


def test_versions_stay_where_versions_are_expected(redactor: Redactor) -> None:
    assert redactor.text("nvidia-cublas 12.4.5.8", addresses=False) == "nvidia-cublas 12.4.5.8"
    assert redactor.text("https://10.1.2.3:80/x", addresses=False) == "https://0.0.0.0:80/x"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Serial Number: 1322621052385", "Serial Number: removed"),
        ("    Serial Number                     : N/A", "    Serial Number                     : N/A"),
        ("Serial\t\t: 10000000a1b2c3d4", "Serial\t\t: removed"),
        ("<serial>0560919009573</serial>", "<serial>removed</serial>"),
        ('"Serial Number": "PCB123-456",', '"Serial Number": "removed",'),
        ("Hardware UUID: 01234567-89AB-CDEF-0123-456789ABCDEF", "Hardware UUID: removed"),
        ("serial port enabled", "serial port enabled"),
    ],
)
def test_serials(redactor: Redactor, text: str, clean: str) -> None:
    assert redactor.text(text) == clean


def test_the_same_id_stays_the_same(redactor: Redactor) -> None:
    one, two = "8932f937-d72c-4106-c12f-20bd9faed9f6", "8932f937-d72c-4106-c12f-20bd9faed9f7"
    clean = redactor.text(f"GPU-{one} GPU-{two} GPU-{one}")
    assert (
        clean
        == "GPU-00000000-0000-0000-0000-000000000001 GPU-00000000-0000-0000-0000-000000000002 GPU-00000000-0000-0000-0000-000000000001"
    )
    assert redactor.text("docker-" + "ab" * 32) == "docker-" + "1".zfill(64)
    assert redactor.text("SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c").endswith("00e098032b8c")


def test_a_short_or_common_name_is_left() -> None:
    # Replaced, it would tear facts apart: group video, ID=ubuntu, CPU max MHz, memory.max.
    redactor = Redactor(
        Identity(users=("ubuntu", "max", "video"), homes=("/home/ubuntu", "/srv/max"), hosts=("ubuntu", "mac"))
    )
    assert redactor.text("ID=ubuntu max video /home/ubuntu/x") == "ID=ubuntu max video /home/user/x"
    assert redactor.text("/sys/fs/cgroup/memory.max") == "/sys/fs/cgroup/memory.max"
    assert redactor.text("/data/max/env:/data/maximal /srv/max/y") == "/data/user/env:/data/maximal /home/user/y"
    assert redactor.text("Linux mac 6.8.0 on a mac") == "Linux host 6.8.0 on a mac"


def test_bytes_keep_their_encoding(redactor: Redactor) -> None:
    for encoding in ("utf-16-le", "utf-8"):
        assert redactor.bytes("user alice, größe".encode(encoding)) == "user user, größe".encode(encoding)
    assert redactor.bytes("\ufeffalice".encode("utf-16-le")) == "\ufeffuser".encode("utf-16-le")
    assert redactor.bytes(b"\xff\xfa alice \x80") == b"\xff\xfa user \x80"
    assert redactor.bytes(b"") == b""


def test_plain_data(redactor: Redactor) -> None:
    data = {"/home/alice/x": ["alice", 3, None, True], "n": {"a": "vm"}}
    assert redactor.plain(data) == {"/home/user/x": ["user", 3, None, True], "n": {"a": "vm"}}
    assert [redactor.name(n) for n in ("alice", "render", "root")] == ["user", "render", "root"]
