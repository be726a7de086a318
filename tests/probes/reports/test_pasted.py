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


def test_small_answers_of_recorded_commands() -> None:
    tegra = read_command(("cat", "/etc/nv_tegra_release"), "# R36 (release), REVISION: 4.7, BOARD: generic\n")
    package = read_command(("dpkg-query", "--show", "nvidia-l4t-core"), "36.4.3-20250107174145")
    agents = read_command(("rocm_agent_enumerator",), "gfx000\ngfx942\ngfx942\n")
    assert tegra is not None
    assert tegra.value("system.jetson") == "36.4.7"
    assert package is not None
    assert package.value("system.jetson") == "36.4.3"
    assert agents is not None
    assert [fields["gfx"] for fields, _ in agents.gpus] == ["gfx942", "gfx942"]
