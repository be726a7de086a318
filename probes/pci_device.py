"""One device on the PCI bus, and the spellings of its numbers."""

from __future__ import annotations

from torchdoctor.probes.frozen import dataclass

__all__ = ["PciDevice", "is_accelerated", "parse_uevent", "pci_class"]

# Base class 03 is a display controller (0300 VGA, 0302 3D, 0380 other), 12 a processing accelerator (AMD Instinct,
# but also every NPU), 0b40 a co-processor.
_ACCELERATED = ("03", "12", "0b40")


@dataclass(frozen=True, slots=True, kw_only=True)
class PciDevice:
    """``vendor`` and ``device`` are four lower-case hex digits, ``class_code`` the base class and subclass (``0302``);
    ``driver`` is the bound kernel driver, empty where it is known that none is.
    """

    address: str = ""
    vendor: str = ""
    device: str = ""
    class_code: str = ""
    driver: str | None = None
    name: str | None = None
    source: str = ""

    @property
    def pci_id(self) -> str | None:
        return f"{self.vendor}:{self.device}" if self.vendor and self.device else None

    @property
    def display(self) -> bool:
        return self.class_code.startswith("03")

    @property
    def accelerated(self) -> bool:
        return is_accelerated(self.class_code)


def is_accelerated(class_code: str) -> bool:
    """Display controller, processing accelerator or co-processor."""
    return class_code.startswith(_ACCELERATED)


def pci_class(text: str) -> str:
    """``0x030200`` or ``30200`` → ``0302``."""
    digits = text.strip().lower().removeprefix("0x")
    if not digits or len(digits) > 8 or any(c not in "0123456789abcdef" for c in digits):
        return ""
    return digits.rjust(6, "0")[-6:-2]


def parse_uevent(text: str) -> dict[str, str]:
    """``KEY=value`` lines of a ``uevent`` file."""
    return dict(line.strip().split("=", 1) for line in text.splitlines() if "=" in line)
