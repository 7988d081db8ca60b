"""Letters of other scripts that are used for Latin ones by their shape, and that Unicode's table lacks.

Runes and Braille are read by their sound, as they are used.
"""

from __future__ import annotations

_USED_FOR = {
    "a": "ᗩ ᗅ Ꭺ ⲁ ᚨ ᚪ ᚫ 卂 ム ⠁",
    "b": "ᗷ Ᏼ ⲃ բ ᛒ 乃 ⠃",
    "c": "ᑕ Ꮯ ⲥ ᚳ 匚 匸 ⠉",
    "d": "ᗪ ᗞ Ꭰ Ꮷ ⲇ ժ դ ᛞ ⠙",
    "e": "ᗴ Ꭼ ⲉ ե ᛖ 乇 モ ⠑",
    "f": "ᖴ ֆ ᚠ 千 キ ⠋",
    "g": "ᘜ Ꮆ Ᏻ Ꮐ ց ᚷ ⠛",
    "h": "ᕼ Ꮋ Ꮒ ⲏ հ ᚺ ᚻ ᚼ 卄 廾 ん ⠓",
    "i": "Ꭵ ⲓ ի ᛁ 丨 工 ⠊",
    "j": "ᒍ Ꭻ յ ᛃ ᛄ ノ 亅 ⠚",
    "k": "Ҝ Ꮶ ⲕ ᚲ ᚴ フ ス ⠅",
    "l": "ᒪ Ꮮ ⲗ ᛚ ㄥ レ ⠇",
    "m": "ʍ ᗰ Ꮇ ⲙ ᛗ 爪 从 ⠍",
    "n": "ᑎ ⲛ ո ղ ᚾ ᚿ 几 れ 刀 ⠝",
    "o": "Ꮎ ⲟ ⲑ օ ᛟ ㄖ 口 ロ の ⠕",
    "p": "ᑭ Ꮲ ⲣ ք ᛈ 卩 尸 ア ⠏",
    "q": "Ɋ ᑫ զ ⠟",
    "r": "ᖇ Ꭱ ᚱ 尺 ⠗",
    "s": "ᔕ Ꮪ ⲋ տ ᛊ ᛋ 丂 ⠎",
    "t": "Ꭲ ⲧ է ᛏ ㄒ 丅 イ ⠞",
    "u": "ᑌ ս ⲩ ᚢ ㄩ 凵 ひ ⠥",
    "v": "ᐯ Ꮩ ⠧",
    "w": "ᗯ Ꮤ Ꮗ Ꮃ ⲱ ᚹ 山 ⠺",
    "x": "᙭ ⲭ 乂 メ ⠭",
    "y": "Ꭹ ⲩ վ ᚣ ㄚ リ ⠽",
    "z": "ᘔ Ꮓ ⲍ ᛉ 乙 ⠵",
}
SHAPES = {
    form: letter
    for letter, chars in reversed(_USED_FOR.items())
    for char in chars.split()
    for form in (char, char.lower(), char.upper())
    if len(form) == 1
}
"""Canadian syllabics, Cherokee, Coptic, Armenian, runes, Chinese characters, kana, Bopomofo and Braille to Latin."""
