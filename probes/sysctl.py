"""macOS system values, asked one by name or read from what a recorded ``sysctl`` printed."""

from __future__ import annotations

from collections.abc import Mapping

from torchdoctor.probes.host import Host

__all__ = ["Sysctl", "parse_sysctl"]


def parse_sysctl(text: str) -> dict[str, str]:
    """``name: value`` lines of ``sysctl -a`` (``name=value`` with ``-e``)."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, mark, value = line.partition(": " if ": " in line else ":" if line.endswith(":") else "=")
        if mark and name and "." in name and " " not in name.strip():
            found.setdefault(name.strip(), value.strip())
    return found


class Sysctl:
    """``text("hw.memsize")``: the value as text, ``None`` where it is not known *or* not there."""

    __slots__ = ("_host", "_printed")

    def __init__(self, host: Host) -> None:
        self._host = host
        self._printed: dict[str, str] = {}
        from torchdoctor.probes.gather import decode

        for argv, done in host.commands():
            if argv and argv[0].rpartition("/")[2] == "sysctl":
                printed = decode(done.stdout)
                if argv[1:2] == ("-n",) and len(argv) == 3:
                    self._printed.setdefault(argv[2], printed.strip())
                self._printed.update({k: v for k, v in parse_sysctl(printed).items() if k not in self._printed})

    def text(self, name: str) -> str | None:
        answer = self._host.value(f"sysctl:{name}")
        if answer.ok and answer.value is not None:
            return str(answer.value).strip()
        return self._printed.get(name)

    def flag(self, name: str) -> bool | None:
        """``1`` → true, ``0`` → false."""
        value = self.text(name)
        return None if value is None else {"1": True, "0": False}.get(value)

    @property
    def printed(self) -> Mapping[str, str]:
        """Everything that a recorded ``sysctl`` printed; empty on a live machine."""
        return self._printed
