"""What packages compiled against torch print about the torch and the Python that they found: the Intel extension, xFormers."""

from __future__ import annotations

from torchdoctor.probes.patterns import regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.reading import PRINTED, Reading
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["read_extension_messages"]

_PYTHON = regex(r"Python\s{1,4}\d\.\d[\w.]{0,10} \(you have (\d\.\d{1,2}(?:\.\d{1,2})?)\)")
_WORKS_WITH = regex(
    r"needs to work with PyTorch (?:\w{1,12} )?(\d{1,2}\.\d{1,3})\S{0,8}, but PyTorch (\d{1,2}\.\d[\w.+]{0,40}) is found"
)


_OTHER_CUDA = regex(r"PyTorch and ([A-Za-z][\w.-]{1,40}) were compiled with different CUDA (?:major )?versions")
_ELF = regex(r"ELF 64-bit LSB .{0,24}, (x86-64|ARM aarch64),")


def read_extension_messages(reading: Reading) -> None:
    """The torch and the interpreter that were found, and a symptom where the extension works with another torch."""
    if reading.has("(you have "):
        for index in reading.find("(you have "):
            if match := _PYTHON.search(reading.lines[index]):
                reading.put("python.version", match[1], index, PRINTED + 8)  # the other number looks like a banner
    if reading.has("elf 64-bit lsb"):
        for index in reading.find("ELF 64-bit LSB"):
            line = reading.lines[index]
            if ("torch" in line or "site-packages" in line) and (match := _ELF.search(line)):
                reading.symptom(f"torch-library-{'x86_64' if match[1] == 'x86-64' else 'aarch64'}", index)
    if reading.has("were compiled with different cuda"):
        for index in reading.find("were compiled with different CUDA"):
            match = _OTHER_CUDA.search(reading.lines[index])
            if match and match[1].lower() not in ("torchvision", "torchaudio"):
                reading.symptom("built-for-another-torch", index)
    if reading.has("needs to work with pytorch"):
        for index in reading.find("needs to work with PyTorch"):
            if match := _WORKS_WITH.search(reading.lines[index]):
                if found := values.parse_torch(match[2]):
                    put_torch(reading, index, found, PRINTED + 8)
                if not match[2].startswith(f"{match[1]}."):
                    reading.symptom("ipex-needs-other-torch", index)
