"""``torchdoctor completion SHELL``: the script that a shell reads to complete our commands."""

from __future__ import annotations

import click

__all__ = ["command"]

_VARIABLE = "_TORCHDOCTOR_COMPLETE"
_WHERE = {
    "bash": '# eval "$(torchdoctor completion bash)" in ~/.bashrc',
    "zsh": '# eval "$(torchdoctor completion zsh)" in ~/.zshrc, after compinit',
    "fish": "# torchdoctor completion fish > ~/.config/fish/completions/torchdoctor.fish",
    "powershell": "# torchdoctor completion powershell | Out-String | Invoke-Expression   in $PROFILE",
}
# click knows three shells. PowerShell asks in the words of zsh, whose answers are triples: kind, value, help.
_POWERSHELL = """
Register-ArgumentCompleter -Native -CommandName torchdoctor -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $index = if ($wordToComplete) { $words.Count - 1 } else { $words.Count }
    $before = $env:VARIABLE, $env:COMP_WORDS, $env:COMP_CWORD
    try {
        $env:VARIABLE = 'zsh_complete'
        $env:COMP_WORDS = $words -join ' '
        $env:COMP_CWORD = $index
        $lines = @(torchdoctor)
    } finally {
        $env:VARIABLE, $env:COMP_WORDS, $env:COMP_CWORD = $before
    }
    for ($i = 0; $i + 2 -lt $lines.Count; $i += 3) {
        $kind, $value, $help = $lines[$i], $lines[$i + 1], $lines[$i + 2]
        if ($kind -eq 'file' -or $kind -eq 'dir') { [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete); continue }
        if ($help -eq '_') { $help = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $help)
    }
}
""".replace("VARIABLE", _VARIABLE)


@click.command("completion")
@click.argument("shell", type=click.Choice(tuple(_WHERE)))
def command(shell: str) -> None:
    """Print the completion script for SHELL: bash, zsh, fish or powershell. Its first line says where it belongs."""
    click.echo(f"{_WHERE[shell]}\n{_script(shell).strip()}")


def _script(shell: str) -> str:
    if shell == "powershell":
        return _POWERSHELL
    from click.shell_completion import get_completion_class
    from torchdoctor.cli import cli

    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(cli, {}, "torchdoctor", _VARIABLE)
    # source() would run the shell to ask for its version, which has no place where the script is only printed.
    return made.source_template % made.source_vars()
