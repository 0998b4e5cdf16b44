"""A game in a web page or notebook: one picture and the buttons to step through the moves, without a server.

The page holds every shape once, and for each position the numbers of its shapes. Without JavaScript it shows the last
position.
"""

from __future__ import annotations

from collections.abc import Sequence

from siqi.games.pictures.drawing import Drawing
from siqi.games.pictures.frames import Frames
from siqi.system.texts import as_script, escape, isolated

STYLE = """
.siqi-replay{max-width:32em;font:14px/1.4 system-ui,sans-serif}
.siqi-replay svg{display:block;width:100%;height:auto}
.siqi-replay .siqi-bar{display:flex;gap:.3em;align-items:center;margin:.4em 0}
.siqi-replay input{flex:1;min-width:4em}
.siqi-replay button{font:inherit;padding:.1em .6em;cursor:pointer}
.siqi-replay .siqi-moves{max-height:9em;overflow-y:auto}
.siqi-replay .siqi-moves button{border:0;background:none;color:inherit;padding:0 .3em;border-radius:3px}
.siqi-replay .siqi-moves button[aria-current]{background:#2f6fb5;color:#fff}
"""

SCRIPT = """
(function(){
document.querySelectorAll('.siqi-replay:not([data-ready])').forEach(function(box){
  box.setAttribute('data-ready','');
  var data=JSON.parse(box.querySelector('script[type="application/json"]').textContent);
  var foreground=box.querySelector('.siqi-foreground'),bar=box.querySelector('input'),words=box.querySelector('output');
  var moves=box.querySelectorAll('.siqi-moves button'),last=data.frames.length-1,at=last;
  function show(i){
    at=Math.max(0,Math.min(last,i));
    foreground.innerHTML=data.frames[at].map(function(k){return data.shapes[k];}).join('');
    bar.value=at;words.textContent=data.titles[at];
    moves.forEach(function(move,k){
      if(k+1===at){move.setAttribute('aria-current','true');
        var top=move.offsetTop-move.parentNode.offsetTop;move.parentNode.scrollTop=Math.max(0,top-60);}
      else move.removeAttribute('aria-current');});
  }
  var go={first:function(){show(0);},back:function(){show(at-1);},next:function(){show(at+1);},
    end:function(){show(last);}};
  box.querySelectorAll('[data-go]').forEach(function(button){
    button.addEventListener('click',go[button.getAttribute('data-go')]);});
  moves.forEach(function(move,k){move.addEventListener('click',function(){show(k+1);});});
  bar.addEventListener('input',function(){show(+bar.value);});
  box.addEventListener('keydown',function(event){
    var key={ArrowLeft:'back',ArrowRight:'next',Home:'first',End:'end'}[event.key];
    if(key&&event.target!==bar){go[key]();event.preventDefault();event.stopPropagation();}});
  show(last);
});
})();
"""

BUTTONS = (
    ("first", "First position", "|<"),
    ("back", "Back", "<"),
    ("next", "Next", ">"),
    ("end", "Last position", ">|"),
)


def page(drawings: Sequence[Drawing], words: Sequence[str]) -> str:
    """Return the HTML of a game from its pictures, first position first, and the move before each but the first.

    It is a part of a page, safe to repeat on one; as a file of its own it is a page, too.
    """
    words = list(map(isolated, words))
    frames = Frames()
    numbers = [frames.add(drawing) for drawing in drawings]
    titles = [
        f"{ply}. {word} - {drawing.title}" if word else drawing.title
        for ply, (word, drawing) in enumerate(zip(["", *words], drawings, strict=True))
    ]
    data = as_script({"shapes": frames.shapes(), "frames": numbers, "titles": titles})
    game = escape(drawings[0].title.split(",")[0])
    buttons = "".join(
        f'<button type="button" data-go="{name}" aria-label="{label}" title="{label}">{escape(sign)}</button>'
        for name, label, sign in BUTTONS
    )
    listed = "".join(
        f'<button type="button">{ply}. <bdi>{escape(word)}</bdi></button>' for ply, word in enumerate(words, 1)
    )
    return (
        f'<div class="siqi-replay" tabindex="0" role="group" aria-label="{game} game">'
        f"<style>{STYLE}</style>{frames.picture(numbers[-1])}"
        f'<div class="siqi-bar">{buttons}<input type="range" min="0" max="{len(words)}" value="{len(words)}" '
        f'aria-label="Move"></div><output aria-live="polite">{escape(titles[-1])}</output>'
        f'<div class="siqi-moves">{listed}</div>'
        f'<script type="application/json">{data}</script><script>{SCRIPT}</script></div>'
    )
