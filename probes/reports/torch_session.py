"""What torch answered in a session, a script or a sentence: its version, whether it sees a device, what it was built for."""

from __future__ import annotations

import re

from torchdoctor.probes.patterns import holds, regex
from torchdoctor.probes.reports import values
from torchdoctor.probes.reports.gpu_words import put_named_gpus
from torchdoctor.probes.reports.machine_words import put_platform, put_system
from torchdoctor.probes.reports.prompts import is_prompt, next_text
from torchdoctor.probes.reports.reading import PRINTED, Reading
from torchdoctor.probes.reports.torch_words import put_torch

__all__ = ["put_torch_answers"]

_HIP = regex(r"\b(\d\.\d{1,2}\.\d{4,6}(?:-[0-9a-f]{6,12})?)\b")
_ASSIGNED = regex(
    r"(cuda\.is_available|xpu\.is_available|mps\.is_available|mps\.is_built|cuda\.device_count|xpu\.device_count|mps\.device_count|xpu\._is_compiled|(?<![\w.])is_available)"
    r"(?:\(\))?(?:[`'\s]{0,4}|\)\s{0,40}(?=#))(?:(?:={1,2}>?|-{1,2}>|→|:|#|returns|gives|says|prints|shows|is|(?:returned|gave|was)(?= [Ff]alse))\s{0,4})?(?:(?:still|always|now|just|immer|siempre|toujours|sempre) )?(True|False|true|false|\d{1,3})\b"
)
_INLINE = regex(
    r"torch\.version\.(cuda|hip)[`'\")]{0,3}\s{0,3}(?:=|:|->|→|is)?\s{0,3}'?(\d{1,2}\.\d[\w.-]{0,20}|None)\b"
)
_ONCE = regex(r"[`')]{0,3} (?:yesterday|before|until|previously|earlier|last|with the (?:old|previous))\b")
_AS_ROOT = regex(r"\bsudo (?:-\w{1,2} )?\S{0,80}python")
_SAID_OF_ROOT = regex(r"\b(?:as|for|by|under) root\b|\b(?:with|under|via|using) sudo\b")
_USER_NOT = regex(
    r"\b(?:(?:normal|regular|ordinary|own|non-root|my) )user\b.{0,40}\b[Ff]alse\b|\b[Ff]alse\b.{0,30}\b(?:as|for) (?:a |the |my |any )?(?:normal |regular |ordinary |own |non-root )?user\b|\bwithout (?:it|sudo)\b.{0,20}\b[Ff]alse\b|\b[Ff]alse\b.{0,20}\bwithout\b"
)
_CONDITION = regex(
    r"\b(?:if|assert|while|not|elif)\s{1,3}\(?(?:torch\.)?(?:backends\.)?$|(?:\b(?:if|assert|while|elif|return)|=) .{0,36}\b(?:and|or)\s{1,3}\(?(?:torch\.)?(?:backends\.)?$"
)
# A list of what torch says, ``torch.version.cuda   : 13.0``: the answer stands behind the question.
_ANSWERED = regex(r"\s{0,8}torch\.[\w.]{3,60}(?:\(\))?\s{0,40}[:=]\s{1,4}\S")
_ASKS = ("__version__", "is_available()", "is_built()", "version.cuda", "device_count()", "get_device_name")
_TORCH_COMMENT = regex(
    r"(?:import torch|torch\.__version__\)?)\s{1,40}#\s{0,3}(?:->|=>|→)?\s{0,2}['\"]?(\d[^\s'\"]{1,60})"
)
_COMMENT = regex(
    r"\)\s{1,40}#\s{0,3}(?:->|=>|→)?\s{0,2}((?:True|False|None|['\"(\[]|\d|NVIDIA|AMD|Tesla|Quadro)[^\n]{0,120})$"
)
# A one-liner with its answer behind an arrow.
_BEHIND = regex(r"-c .{4,300}?['\"`]\s{0,4}(?:→|->|=>)\s{0,3}((?:True|False|None|['\"(\[]|\d)[^\n]{0,160})$")
_TORCH_IS = regex(
    r"(?<!\w)torch\.__version__[`'\"]?(?:\s{0,40}(?:->|=>|→|:|=|==|is)\s{0,3}|\s{1,3}(?:(?:gives|prints|shows|says|returns|reports|ergibt|liefert|zeigt|sagt|donne|affiche|da|muestra|devuelve|dice|mostra) )?\(?)[`'\"]?(\d{1,2}\.\d{1,2}\.\d{1,2}[\w.+]{0,40})"
)
_QUESTION = regex(
    r"torch\.__version__|torch\.version\.(?:cuda|hip)|torch\.(?:backends\.)?((?:cuda|xpu|mps)\.(?:is_available|is_built|device_count))\(\)"
)
_ONE_OF = regex(r"torch\.__version__|torch\.version\.cuda|torch\.cuda\.(?:is_available|device_count)\(\)")
_ASSIGNABLE = ("is_available", "is_built", "device_count", "_is_compiled")
_FIRST_CUDA = regex(r"[('\s]{0,4}(\d{1,2}\.\d)['\s,]{1,4}(?:True|False)\b")
_SHAPES = {
    "torch.__version__": regex(r"\d{1,2}\.\d{1,2}\.\d{1,2}[\w.+]{0,50}"),
    "torch.version.cuda": regex(r"\d{1,2}\.\d|None"),
    "torch.cuda.is_available()": regex(r"True|False"),
    "torch.cuda.device_count()": regex(r"\d{1,2}"),
}


def put_torch_answers(reading: Reading, index: int, line: str) -> None:
    """What one line asks of torch, and the answer: beside the question, in a comment, or in the lines below."""
    if "#" in line and (match := _TORCH_COMMENT.search(line)) and (parsed := values.parse_torch(match[1])):
        put_torch(reading, index, parsed, PRINTED)
        return
    if (
        "__version__" in line
        and (match := _TORCH_IS.search(line))
        and not _CONDITION.search(line[: match.start()][-40:])
    ):
        parsed = values.parse_torch(match[1])
        if parsed:
            put_torch(reading, index, parsed, PRINTED)
    for match in _INLINE.finditer(line) if "version." in line else ():
        if match[2] == "None":
            reading.draft.put(f"torch.{match[1]}", "", reading.source(index), rank=PRINTED)
        elif match[1] == "cuda":
            reading.put("torch.cuda", match[2], index, PRINTED)
            reading.put("torch.variant", values.cuda_variant(match[2]), index, PRINTED)
        else:
            reading.put("torch.hip", match[2], index, PRINTED)
    answered = False
    for match in _ASSIGNED.finditer(line) if holds(line, _ASSIGNABLE) else ():
        if match[2].isdecimal() and not match[1].endswith("device_count"):
            continue  # a number is no answer to yes or no: "# 4 of them"
        if not _CONDITION.search(line[max(0, match.start() - 40) : match.start()]) and not _ONCE.match(
            line, match.end()
        ):  # a program's question is no answer, and what was so once is not so
            if match[2] in ("True", "true") and _SAID_OF_ROOT.search(
                line, max(0, match.start() - 60), match.end() + 30
            ):
                reading.symptom("root-available-true", index)
                if _USER_NOT.search(line, match.start(), match.start() + 200):
                    reading.put("torch.gpu_available", False, index, PRINTED)
                answered = True
                continue
            what = match[1] if "." in match[1] else f"{_module_of(line)}.{match[1]}"
            _answer(reading, index, what, match[2].capitalize())
            answered = True
    if answered and "__version__" not in line:
        return  # the next line answers something else
    if line.count("print(") > 1 and _printed(reading, index, line):
        return
    asks = [
        m
        for m in (
            "__version__",
            "is_available()",
            "is_built()",
            "version.cuda",
            "version.hip",
            "platform.platform()",
            "get_device_name",
            "get_arch_list",
            "device_count",
        )
        if m in line
    ]
    if not asks or not is_prompt(line) or _ANSWERED.match(line):
        return
    if asks == ["version.cuda"] and _printed_nothing(reading, index):
        reading.draft.put("torch.cuda", "", reading.source(index), rank=PRINTED)
        return
    several = len(asks) > 1
    if said := _COMMENT.search(line) or (_BEHIND.search(line[:1000]) if "-c " in line else None):
        answer_at, answer = index, said[1]  # who writes the answer beside the question writes none below
    else:
        below = _later(reading, index) or next_text(reading, index)
        if below is None:
            return
        answer_at, answer = below, reading.lines[below].strip()
        reading.taken.add(answer_at)
    if asks == ["is_available()", "version.cuda"] and (number := _FIRST_CUDA.match(answer)):
        reading.put("torch.cuda", number[1], answer_at, PRINTED)
        reading.put("torch.variant", values.cuda_variant(number[1]), answer_at, PRINTED)
    if "__version__" in asks and "torch.__version__" in line:
        words = answer.replace("'", " ").replace('"', " ").replace("Torch version:", " ").split()
        for word in words[:8]:
            parsed = values.parse_torch(word)
            if (
                parsed
                and re.match(r"v?\d", word)
                and parsed.version.count(".") >= 1
                and not re.match(r"\d{1,2}\.\d{1,2}\.\d{4,}", word)
                and not word.startswith("macOS")
            ):
                put_torch(reading, answer_at, parsed, PRINTED + 3)
                break
    if "version.hip" in asks and (match := _HIP.search(answer)):
        reading.put("torch.hip", match[1], answer_at, PRINTED)
    if "platform.platform()" in asks:
        put_platform(reading, answer_at, answer, PRINTED + 4)
        put_system(reading, answer_at, answer.split()[0].replace("-", " ", 1), PRINTED)
    each = _one_by_one(line, answer) if "sudo" not in line else []
    if each:
        asks = [a for a in asks if a not in ("is_available()", "is_built()")]
        for question, word in each:
            if question.startswith("torch."):
                _number(reading, answer_at, question, word)
            elif word in ("True", "False", "0"):
                _answer(reading, answer_at, question, word)
        if dict(each).get("torch.version.hip") == dict(each).get("torch.version.cuda") == "None":
            reading.put("torch.variant", "cpu", answer_at, PRINTED)
    elif "mps.is_built()" in line and answer in ("True", "False"):
        _answer(reading, answer_at, "mps.is_built", answer)
    if "is_available()" in asks and "sys.exit" not in line:
        said = re.search(r"\b(True|False)\b", answer)
        if said:
            what = re.search(r"(cuda|xpu|mps)(?:\.backends)?\.is_available", line)
            if said[1] == "True" and _AS_ROOT.search(line):
                reading.symptom("root-available-true", answer_at)  # what root may open says nothing of the user
                return
            _answer(reading, answer_at, f"{what[1] if what else 'cuda'}.is_available", said[1])
    if asks == ["version.cuda"]:
        _number(reading, answer_at, "torch.version.cuda", answer.strip("'\""))
    if ("version.cuda" in asks and "is None" in line and answer.startswith("True")) or (
        asks == ["version.cuda"] and answer == "None"
    ):
        reading.put("torch.variant", "cpu", answer_at, PRINTED)
    if "version.cuda" in asks and several and "hip" not in line and not reading.has("rocm", "xpu"):
        _empty_cuda(reading, line, answer, answer_at)
    if "get_device_name" in asks:
        put_named_gpus(reading, answer_at, answer, PRINTED + 5, complete=answer.startswith("["))
    if asks == ["device_count"] and answer.isdecimal():
        _counted(reading, line, answer, answer_at)
    elif (
        "device_count" in asks
        and re.search(r"xpu\S{0,20}device_count", line)
        and (match := re.search(r"\b(\d{1,2})\b", answer))
    ):
        reading.symptom(f"xpu-devices-{match[1]}", answer_at)


def _counted(reading: Reading, line: str, answer: str, answer_at: int) -> None:
    """A number of devices: none is what ``is_available`` calls False, and root's says nothing of the user."""
    if _AS_ROOT.search(line):
        if answer != "0":
            reading.symptom("root-available-true", answer_at)
        return
    what = re.search(r"\b(cuda|xpu|mps)\S{0,20}device_count", line)
    if what and what[1] == "xpu":
        reading.symptom(f"xpu-devices-{answer}", answer_at)
    if what and answer == "0":
        reading.put("torch.gpu_available", False, answer_at, PRINTED - 1)


def _module_of(line: str) -> str:
    """Whose ``is_available`` a sentence means that leaves the module out."""
    low = line.lower()
    return "mps" if "mps" in low else "xpu" if "xpu" in low else "cuda"


def _later(reading: Reading, index: int) -> int | None:
    """A script is shown, and what it printed further down: a line of as many words as it asks, each of the right shape."""
    line = reading.lines[index]
    asked = [_SHAPES[m[0]] for m in _ONE_OF.finditer(line)] if len(line) < 400 else []
    if len(asked) < 2:
        return None
    for at in range(index + 1, min(index + 12, len(reading.lines))):
        words = reading.lines[at].replace(",", " ").strip("() \t").split()
        if len(words) == len(asked) and all(shape.fullmatch(word) for shape, word in zip(asked, words, strict=True)):
            return at
    return None


def _answer(reading: Reading, index: int, what: str, word: str) -> None:
    if what.endswith("is_available"):
        usable = word == "True"
        reading.put("torch.gpu_available", usable, index, PRINTED + (1 if usable else 0))
        if not usable and what.startswith("mps"):
            reading.symptom("mps-not-available", index)
        reading.symptom(f"{what.split('.')[0]}-available-{word.lower()}", index)
    elif what == "mps.is_built" and word == "True":
        reading.put("torch.variant", "mps", index, PRINTED)
        reading.symptom("mps-built", index)
    elif what == "mps.is_built":
        reading.symptom("mps-not-built", index)
    elif what == "xpu._is_compiled" and word == "False":
        reading.symptom("xpu-not-compiled", index)
    elif what.endswith("device_count") and word == "0":
        if not reading.has("macos-", "darwin"):  # there it says nothing of Metal
            reading.put("torch.gpu_available", False, index, PRINTED)
        if what.startswith("xpu"):
            reading.symptom("xpu-device-count-zero", index)


def _number(reading: Reading, index: int, question: str, word: str) -> None:
    """What torch was built with, among several answers of one line."""
    if question == "torch.version.cuda" and re.fullmatch(r"\d{1,2}\.\d", word):
        reading.put("torch.cuda", word, index, PRINTED)
        reading.put("torch.variant", values.cuda_variant(word), index, PRINTED)
    elif question == "torch.version.hip" and _HIP.fullmatch(word):
        reading.put("torch.hip", word, index, PRINTED)


def _one_by_one(line: str, answer: str) -> list[tuple[str, str]]:
    """(question, word) of a line that asks several things and was answered with as many words; empty for any other."""
    asked = [m[1] or m[0] for m in _QUESTION.finditer(line)]
    words = answer.replace(",", " ").replace("'", " ").lstrip("> (").rstrip(")").split()
    return list(zip(asked, words, strict=True)) if len(asked) > 1 and len(words) == len(asked) else []


def _printed(reading: Reading, index: int, line: str) -> bool:
    """Several prints in one line, each of one question, and as many lines below. Whether they were read."""
    asked = line.split("print(")[1:]
    if "sudo" in line or not is_prompt(line) or any(sum(w in part for w in _ASKS) != 1 for part in asked):
        return False
    answers: list[int] = []
    for at in range(index + 1, min(index + 3 * len(asked) + 1, len(reading.lines))):
        text = reading.lines[at].strip()
        if text.startswith((">>>", "$ ", "In [", "Traceback", "PS ")) or len(answers) == len(asked):
            break
        if text and not re.search(r"Warning: |warnings\.warn|^\s*return ", text):
            answers.append(at)
    if len(answers) < len(asked):
        return False
    for part, at in zip(asked, answers, strict=True):
        _printed_one(reading, part, at)
    return True


def _printed_one(reading: Reading, question: str, at: int) -> None:
    answer = reading.lines[at].strip()
    reading.taken.add(at)
    match = _QUESTION.search(question)
    if "torch.__version__" in question:
        parsed = values.parse_torch(answer) if re.match(r"'?v?\d", answer) else None
        if parsed:
            put_torch(reading, at, parsed, PRINTED + 3)
    elif "get_device_name" in question:
        put_named_gpus(reading, at, answer, PRINTED + 5)
    elif "version.cuda" in question and (number := re.fullmatch(r"'?(\d{1,2}\.\d)'?", answer)):
        reading.put("torch.cuda", number[1], at, PRINTED)
        reading.put("torch.variant", values.cuda_variant(number[1]), at, PRINTED)
    elif "version.cuda" in question and answer == "None" and not reading.has("rocm", "xpu"):
        reading.put("torch.variant", "cpu", at, PRINTED)
        reading.symptom("cuda-not-compiled", at)
    elif match and match[1] and answer in ("True", "False", "0"):
        _answer(reading, at, match[1], answer)


def _empty_cuda(reading: Reading, line: str, answer: str, answer_at: int) -> None:
    """``print(torch.cuda.is_available(), torch.version.cuda)`` that printed ``False None``: as many words as questions."""
    asked = [m[0] for m in _ONE_OF.finditer(line)]
    words = answer.replace(",", " ").lstrip("> (").rstrip(")").split()
    once = len(words) == len(asked) and asked.count("torch.version.cuda") == 1
    if once and words[asked.index("torch.version.cuda")] == "None":
        reading.put("torch.variant", "cpu", answer_at, PRINTED)
        reading.symptom("cuda-not-compiled", answer_at)


def _printed_nothing(reading: Reading, index: int) -> bool:
    """An interpreter prints nothing for ``None``: the question alone, and right below it the next prompt."""
    below = reading.lines[index + 1] if index + 1 < len(reading.lines) else ""
    return reading.lines[index].strip() == ">>> torch.version.cuda" and below.lstrip().startswith(">>>")
