"""What the running machine and its user are called: the words that a recording must not hold."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.redaction import Identity

__all__ = ["identity"]

_SECRET_NAME = regex(r"TOKEN|SECRET|PASS|CREDENTIAL|KEY|AUTH|COOKIE", re.I)
_USERINFO = regex(r"://([^/\s:@]{1,400})(?::([^/\s@]{1,400}))?@")
_USER_NAMES = ("USER", "LOGNAME", "USERNAME", "SUDO_USER", "LNAME")
_HOST_NAMES = ("HOSTNAME", "HOST", "COMPUTERNAME", "USERDOMAIN", "NAME")


def identity(environ: Mapping[str, str]) -> Identity:
    """Names from the account, the environment and the network interfaces of this machine."""
    users = {environ[name] for name in _USER_NAMES if environ.get(name)}
    homes = {environ[name] for name in ("HOME", "USERPROFILE") if environ.get(name)} | {os.path.expanduser("~")}
    hosts = {environ[name] for name in _HOST_NAMES if environ.get(name)}
    try:
        import pwd

        entry = pwd.getpwuid(os.getuid())
        users |= {entry.pw_name, entry.pw_gecos.split(",")[0]}
        homes.add(entry.pw_dir)
    except (ImportError, KeyError):
        pass
    for name in (socket.gethostname(), os.uname().nodename if hasattr(os, "uname") else ""):
        hosts |= {name, name.split(".")[0]}
    secrets = {value for name, value in environ.items() if _SECRET_NAME.search(name) and not value.isdigit()}
    for value in environ.values():
        for match in _USERINFO.finditer(value):
            secrets |= {part for part in match.groups() if part}
    # A path or switch in a variable like SSH_AUTH_SOCK is no secret by itself.
    secrets = {s for s in secrets if s and not s.startswith(("/", "~")) and s.lower() not in ("true", "false", "none")}
    return Identity(
        users=tuple(sorted(u for u in users if u)),
        homes=tuple(sorted(homes)),
        hosts=tuple(sorted(h for h in hosts if h)),
        addresses=tuple(sorted(_addresses())),
        secrets=tuple(sorted(secrets)),
    )


def _addresses() -> set[str]:
    try:
        import psutil

        interfaces = psutil.net_if_addrs()
    except Exception:  # some sandboxes refuse; the shapes of addresses are replaced all the same
        return set()
    found = {address.address.split("%")[0] for rows in interfaces.values() for address in rows if address.address}
    return {address for address in found if address not in ("127.0.0.1", "::1", "00:00:00:00:00:00")}
