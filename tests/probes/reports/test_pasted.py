from __future__ import annotations

from torchdoctor.probes.reports.pasted import read_command

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


def test_recorded_commands() -> None:
    draft = read_command(
        ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"],
        "NVIDIA L4, 550.54.15, 8.9\n",
    )
    assert draft is not None
    facts = draft.build()
    assert facts.gpus is not None and facts.gpus[0].compute_capability == "8.9"
    assert read_command(["rocminfo"], _ROCMINFO) is not None
    assert read_command(["true"], "") is None
    assert read_command(["date"], "Mon Nov 30 10:00:00 UTC 2026\n") is None
