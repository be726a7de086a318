from __future__ import annotations

from collections.abc import Callable

from torchdoctor.probes.facts import Facts
from torchdoctor.probes.reports.pasted import read_text

_ROCMINFO = """ROCk module version 6.10.5 is loaded
*******
Agent 1
*******
  Name:                    AMD RYZEN AI MAX+ 395 w/ Radeon 8060S
  Marketing Name:          AMD RYZEN AI MAX+ 395 w/ Radeon 8060S
  Device Type:             CPU
*******
Agent 2
*******
  Name:                    gfx1151                            
  Marketing Name:          Radeon 8060S Graphics              
  Device Type:             GPU
      Name:                    amdgcn-amd-amdhsa--gfx1151         
      Name:                    amdgcn-amd-amdhsa--gfx11-generic   
  Name:                    aie2p
  Marketing Name:          RyzenAI-npu5
"""  # noqa: W291


def test_rocminfo(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(_ROCMINFO)
    assert facts.gpus is not None
    assert [(g.name, g.gfx) for g in facts.gpus] == [("Radeon 8060S Graphics", "gfx1151")]
    assert facts.drivers.amdgpu.version == "6.10.5"
    assert facts.cpu.model == "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S"
    assert read_text(_ROCMINFO, "x").kind == "rocminfo"


def test_rocm_smi(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "GPU[0]\t\t: Card Series: \t\tAMD Instinct MI250X\nGPU[0]\t\t: GFX Version: \t\tgfx9010\nGPU[0]\t\t: VRAM Total Memory (B): 68702699520\n"
    )
    assert facts.gpus is not None
    assert (facts.gpus[0].name, facts.gpus[0].gfx, facts.gpus[0].memory) == (
        "AMD Instinct MI250X",
        "gfx90a",
        68702699520,
    )


def test_what_rocblas_holds(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "rocBLAS error: Cannot read /x/TensileLibrary.dat: Illegal seek for GPU arch : gfx900\nList of available TensileLibrary Files :\n"
        '".../TensileLibrary_lazy_gfx908.dat"\n".../TensileLibrary_lazy_gfx1030.dat"\n'
    )
    assert facts.torch.kernels == ("gfx908", "gfx1030")
    assert facts.gpus is not None and facts.gpus[0].gfx == "gfx900"


def test_tables_of_rocm_smi_name_the_device(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of(
        "===== ROCm System Management Interface =====\n=========== Concise Info ===========\nDevice  Node  IDs              Temp\n              (DID,     GUID)  (Edge)\n"
        "0       1     0x66a1,   7068   29.0C  17.0W\n1       2     0x744c,   1111   29.0C  17.0W\n"
    )
    assert facts.gpus is not None
    assert [g.pci_id for g in facts.gpus] == ["1002:66a1", "1002:744c"]
    facts = facts_of(
        "===== Concise Hardware Info =====\nGPU  NODE  DID     GUID   GFX VER\n0    1     0x73bf  12345  gfx1030  N/A\n"
    )
    assert facts.gpus is not None
    assert [(g.pci_id, g.gfx) for g in facts.gpus] == [("1002:73bf", "gfx1030")]


def test_hipinfo(facts_of: Callable[[str], Facts]) -> None:
    facts = facts_of("device#                           0\ngcnArchName:                      gfx90a:sramecc+:xnack-\n")
    assert facts.gpus is not None
    assert [g.gfx for g in facts.gpus] == ["gfx90a"]


def test_hipinfo_of_windows() -> None:
    text = "device#                           0\nName:                             AMD Radeon RX 7900 XTX\npciBusID:  3\ngcnArchName:                      gfx1100\n"
    gpus = read_text(text, "x").draft.build().gpus
    assert gpus is not None and [(g.name, g.gfx) for g in gpus] == [("AMD Radeon RX 7900 XTX", "gfx1100")]
