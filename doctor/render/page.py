"""The frame of an HTML page: one file, no network, light and dark, printable; the script only adds comfort."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from torchdoctor.render.clean import clean

__all__ = ["command_block", "esc", "filtered_table", "page"]


def esc(value: object) -> str:
    """``value`` as HTML text or attribute value: cleaned of control characters and escaped."""
    return html.escape(clean(value), quote=True)


def page(title: str, body: str, *, footer: str = "") -> str:
    """A whole document around ``body`` (trusted HTML). ``title`` and ``footer`` are text."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:\">\n"
        f'<link rel="icon" href="data:,">\n<title>{esc(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n'
        f"{body}\n"
        f"<footer>{esc(footer)}</footer>\n"
        '<p id="said" class="unseen" role="status" aria-live="polite"></p>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def command_block(command: str, label: str = "") -> str:
    """A command that a script may give a copy button; readable and selectable without it."""
    lines = "\n".join(esc(line) for line in command.splitlines())
    name = f"<figcaption>{esc(label)}</figcaption>" if label else ""
    shown = f'<pre tabindex="0" aria-label="{esc(label or "command")}"><code>{lines}</code></pre>'
    return f'<figure class="command" data-copy>{name}{shown}</figure>'


def filtered_table(
    name: str,
    header: Sequence[str],
    rows: Iterable[tuple[str, Sequence[str]]],
    *,
    states: Sequence[tuple[str, str]] = (),
) -> str:
    """A table with a filter that shows only where scripts run. ``rows`` are (state, cells of trusted HTML); ``states``
    are the choices (value, text) beside free text.
    """
    head = "".join(f'<th scope="col">{esc(h)}</th>' for h in header)
    body = "".join(
        f'<tr data-state="{esc(state)}">' + "".join(f"<td>{c}</td>" for c in cells) + "</tr>\n" for state, cells in rows
    )
    choices = "".join(f'<option value="{esc(v)}">{esc(t)}</option>' for v, t in states)
    select = f'<label>Show <select data-by><option value="">all</option>{choices}</select></label>' if choices else ""
    return (
        f'<div class="filtered" data-filter><p class="filter" hidden><label>Filter <input type="search" data-text '
        f'autocomplete="off" placeholder="2.14, cu126 …"></label> {select} <span data-count></span></p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{esc(name)}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{body}</tbody></table></div></div>"
    )


_STYLE = """
:root{--bg:#f7f7f5;--card:#fff;--text:#1b1f24;--muted:#59626d;--line:#dcdfe4;--ok:#0b6a3d;--ok-t:#e3f4ea;--bad:#b3261e;
--bad-t:#fdecea;--warn:#7d4e00;--warn-t:#fcf1da;--link:#0b57d0;--code:#f0f1f3}
@media (prefers-color-scheme:dark){:root{--bg:#131619;--card:#1b1f24;--text:#e6e9ed;--muted:#a5afba;--line:#343b44;
--ok:#74d69f;--ok-t:#11301f;--bad:#ff9d93;--bad-t:#3b1916;--warn:#f2c46d;--warn-t:#33280f;--link:#8ab4f8;--code:#242a31}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:66rem;padding:1.5rem 1.25rem 3rem;background:var(--bg);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{font-size:1.3rem;line-height:1.3;margin:.35rem 0 0;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2rem 0 .6rem}
h3{font-size:1rem;margin:0}
a{color:var(--link)}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.verdict{border-left:.45rem solid var(--muted);background:var(--card);border-radius:.5rem;padding:1rem 1.25rem;
border-top:1px solid var(--line);border-right:1px solid var(--line);border-bottom:1px solid var(--line)}
.verdict.ok{border-left-color:var(--ok)}.verdict.mismatch,.verdict.blocked{border-left-color:var(--bad)}
.verdict.unknown{border-left-color:var(--warn)}
.tag{display:inline-block;font-weight:650;font-size:.8rem;letter-spacing:.02em;border-radius:99px;padding:.1rem .65rem;
background:var(--code);color:var(--muted);white-space:nowrap}
.tag.ok{background:var(--ok-t);color:var(--ok)}.tag.blocker,.tag.mismatch,.tag.blocked{background:var(--bad-t);color:var(--bad)}
.tag.warning,.tag.unknown{background:var(--warn-t);color:var(--warn)}
.two{display:grid;grid-template-columns:minmax(0,27rem) minmax(0,1fr);gap:1.5rem;align-items:start}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:1rem 1.25rem;margin:0 0 .75rem;
overflow-wrap:anywhere}
.card p{margin:.4rem 0}.card ul{margin:.4rem 0;padding-left:1.2rem}
.head{display:flex;flex-wrap:wrap;gap:.35rem .6rem;align-items:center}
.head button{margin-left:auto}
dl.machine{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3rem 1rem;margin:0 0 .75rem}
dl.machine dt{color:var(--muted)}dl.machine dd{margin:0;overflow-wrap:anywhere}
.source{color:var(--muted);font-size:.875em}
figure.command{margin:.6rem 0;position:relative}
figure.command figcaption{font-size:.85rem;color:var(--muted);margin-bottom:.15rem}
pre{background:var(--code);border:1px solid var(--line);border-radius:.4rem;margin:0;padding:.7rem .8rem;overflow:auto;
line-height:1.45}
figure.command pre{padding-right:5.2rem;white-space:pre-wrap;overflow-wrap:anywhere}
button{font:inherit;font-size:.85rem;color:var(--text);background:var(--card);border:1px solid var(--muted);
border-radius:.35rem;padding:.2rem .65rem;cursor:pointer;min-height:1.9rem}
button:hover{border-color:var(--link);color:var(--link)}
figure.command button{position:absolute;right:.4rem;bottom:.4rem}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;padding:.35rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
th{color:var(--muted);font-weight:600;white-space:nowrap}
.yes{color:var(--ok);font-weight:600;white-space:nowrap}.no{color:var(--bad);white-space:nowrap}
.maybe{color:var(--warn);white-space:nowrap}
.filter{margin:.2rem 0 .6rem;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
.filter[hidden]{display:none}
input,select{font:inherit;font-size:.93rem;color:inherit;background:var(--card);border:1px solid var(--muted);
border-radius:.35rem;padding:.25rem .5rem}
summary{cursor:pointer;font-weight:600;padding:.3rem 0}
details{margin-top:1.2rem}#findings details{margin-top:.4rem}
footer{margin-top:2.5rem;color:var(--muted);font-size:.875rem}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
svg.stack{display:block;width:100%;max-width:27rem;height:auto;font-family:inherit}
svg .box{fill:var(--card);stroke:var(--line);stroke-width:1.5}
svg .box.bad{fill:var(--bad-t);stroke:var(--bad)}svg .box.warn{fill:var(--warn-t);stroke:var(--warn)}
svg .box.none{stroke-dasharray:5 4}
svg .name{fill:var(--muted);font-size:11.5px}
svg .what{fill:var(--text);font-size:13.5px;font-weight:600}
svg .more{fill:var(--muted);font-size:12px}
svg .joint{fill:none;stroke:var(--muted);stroke-width:2}
svg .joint.ok{stroke:var(--ok)}svg .joint.bad{stroke:var(--bad);stroke-dasharray:5 4}
svg .joint.warn{stroke:var(--warn);stroke-dasharray:9 3}svg .joint.unknown{stroke-dasharray:2 4}
svg .joint.none{stroke-dasharray:2 4;stroke:var(--line)}
svg .sign{fill:var(--bg);stroke:var(--muted);stroke-width:1.5}
svg .sign.ok{stroke:var(--ok);fill:var(--ok-t)}svg .sign.bad{stroke:var(--bad);fill:var(--bad-t)}
svg .sign.warn{stroke:var(--warn);fill:var(--warn-t)}
svg .mark{font-size:12px;font-weight:700;text-anchor:middle;fill:var(--muted)}
svg .mark.ok{fill:var(--ok)}svg .mark.bad{fill:var(--bad)}svg .mark.warn{fill:var(--warn)}
svg .says{font-size:12px;fill:var(--muted)}svg .says.bad{fill:var(--bad);font-weight:600}
svg .says.warn{fill:var(--warn);font-weight:600}
svg.coverage{display:block;font-family:inherit}
svg.coverage text{fill:var(--muted);font-size:12px}svg.coverage .head{text-anchor:middle;font-weight:600}
svg.coverage .side{fill:var(--text);font-size:12.5px}
svg.coverage .cell{fill:none;stroke:var(--line)}svg.coverage .cell.on{fill:var(--ok-t);stroke:var(--ok)}
svg.coverage .in{text-anchor:middle;fill:var(--ok);font-size:11.5px}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.5rem 0 0;padding:0;list-style:none;font-size:.85rem;color:var(--muted)}
@media (max-width:52rem){.two{grid-template-columns:minmax(0,1fr)}}
@media (max-width:30rem){body{padding:1rem .8rem 2rem}.card,.verdict{padding:.8rem .9rem}
figure.command pre{padding-right:.8rem;padding-bottom:2.9rem}th,td{padding:.35rem .5rem}}
@media print{:root{--bg:#fff;--card:#fff;--text:#000;--muted:#444;--line:#bbb;--ok:#06502d;--ok-t:#fff;--bad:#8c1a14;
--bad-t:#fff;--warn:#5e3b00;--warn-t:#fff;--link:#000;--code:#fff}
body{max-width:none;padding:0;font-size:10.5pt}button,.filter{display:none!important}
.card,figure,svg,tr{break-inside:avoid}h2{break-after:avoid}.scroll{overflow:visible}
figure.command pre{padding-right:.8rem;padding-bottom:.7rem}.tag{border:1px solid currentColor}}
""".strip()

_SCRIPT = """
(function(){
"use strict";
var said=document.getElementById("said");
function say(text){said.textContent="";setTimeout(function(){said.textContent=text},30)}
function copy(text,button){
 function done(ok){button.textContent=ok?"Copied":"Press Ctrl+C";say(ok?"Copied":"Could not copy");
  setTimeout(function(){button.textContent="Copy"},1600)}
 function old(){var area=document.createElement("textarea");area.value=text;area.style.position="fixed";area.style.opacity="0";
  document.body.appendChild(area);area.select();var ok=false;try{ok=document.execCommand("copy")}catch(e){}
  area.remove();button.focus();done(ok)}
 if(navigator.clipboard&&navigator.clipboard.writeText)navigator.clipboard.writeText(text).then(function(){done(true)},old);
 else old()}
function button(label,text){var b=document.createElement("button");b.type="button";b.textContent="Copy";
 b.setAttribute("aria-label",label);b.addEventListener("click",function(){copy(text(),b)});return b}
document.querySelectorAll("[data-copy]").forEach(function(box){var code=box.querySelector("code"),name=box.querySelector("figcaption");
 box.appendChild(button("Copy the command"+(name?" ("+name.textContent+")":""),function(){return code.textContent}))});
document.querySelectorAll("[data-finding]").forEach(function(card){var head=card.querySelector(".head");
 head.appendChild(button("Copy the finding "+card.dataset.finding,function(){return card.dataset.text}))});
document.querySelectorAll("[data-filter]").forEach(function(box){
 var bar=box.querySelector(".filter"),text=box.querySelector("[data-text]"),by=box.querySelector("[data-by]"),
  count=box.querySelector("[data-count]"),rows=Array.prototype.slice.call(box.querySelectorAll("tbody tr"));
 bar.hidden=false;
 function show(){var words=text.value.toLowerCase().split(/ +/).filter(Boolean),left=0;
  rows.forEach(function(row){var content=row.textContent.toLowerCase();
   var seen=words.every(function(w){return content.indexOf(w)>=0})&&(!by||!by.value||row.dataset.state===by.value);
   row.hidden=!seen;if(seen)left++});
  count.textContent=left+" of "+rows.length;}
 text.addEventListener("input",show);if(by)by.addEventListener("change",show);show()});
window.addEventListener("beforeprint",function(){document.querySelectorAll("details").forEach(function(d){
 if(!d.open){d.open=true;d.dataset.shut="1"}})});
window.addEventListener("afterprint",function(){document.querySelectorAll("details[data-shut]").forEach(function(d){
 d.open=false;delete d.dataset.shut})});
})();
""".strip()
