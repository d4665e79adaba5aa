# Looks at a page of gpuinstr html in a browser: it renders, sorts, filters, zooms, and says no error.
# SPDX-License-Identifier: Apache-2.0
#
# usage: html_page.py PAGE [--seconds N] [--shot FILE.png] [--text TEXT] [--hatched]
import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

CALLS = "[...document.querySelectorAll('#calls tbody tr.row')]"
BOX = "(() => { const b = document.querySelector('%s').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()"


def check(what, good, *facts):
    if not good:
        sys.exit(f"FAIL {what}: {facts}")
    print("ok", what)


def middle(page, selector):
    page.js(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
    x, y, width, height = page.js(BOX % selector.replace("'", '"'))
    return x + width / 2, y + height / 2


def span(page):
    text = page.js("document.querySelector('#timeline .count').textContent")
    first, last = text.split(" ms")[0].split(" \u2013 ")
    return float(first), float(last)


def tables(page):
    """Sorts by calls with the mouse, filters with the keyboard, unfolds a row."""
    head = "#calls thead th:nth-child(%d) button"
    titles = page.js("[...document.querySelectorAll('#calls thead th')].map(t => t.textContent)")
    column = titles.index("Num Calls") + 1
    cells = f"{CALLS}.map(r => Number(r.cells[{column - 1}].textContent.replace(/[^0-9]/g, '')))"
    for descending in (True, False):
        page.click(*middle(page, head % column))
        values = page.js(cells)
        check(f"sorted {'down' if descending else 'up'}", values == sorted(values, reverse=descending) and values, values[:5])
    before = len(page.js(cells))
    name = page.js(f"{CALLS}[0].cells[0].textContent")
    if page.js("!!document.querySelector('#calls input[type=search]')"):
        page.js("document.querySelector('#calls input[type=search]').focus()")
        page.type(name)
        found = page.js(f"{CALLS}.map(r => r.cells[0].textContent)")
        check("filtered", found and len(found) <= before and name in found, name, found[:5])
        page.js("(() => { const i = document.querySelector('#calls input[type=search]'); i.value = 'no such call'; i.dispatchEvent(new Event('input')); })()")
        check("filtered to nothing", page.js(f"{CALLS}.length") == 0)
        page.js("(() => { const i = document.querySelector('#calls input[type=search]'); i.value = ''; i.dispatchEvent(new Event('input')); })()")
    page.js("document.querySelector('#calls .expand').focus()")
    page.key("Enter", "\r")
    check("unfolded by key", page.js("document.querySelectorAll('#calls tr.detail dl').length") == 1)
    page.js("document.querySelectorAll('#calls tr.detail .code').forEach(line => { line.textContent += ' // long'.repeat(60); })")
    wide = page.js("[...document.querySelectorAll('#calls .scroll, #calls')].some(n => n.scrollWidth > n.clientWidth)")
    check("a long source line scrolls by itself", not wide)
    page.key("Enter", "\r")
    check("folded by key", page.js("document.querySelectorAll('#calls tr.detail').length") == 0)


def first_screen(page):
    """What to change is seen without scrolling; then where the time went, then the cards, which fold."""
    top = "document.querySelector('#%s').getBoundingClientRect().top"
    tops = [page.js(top % part) for part in ("changes", "time", "findings")]
    check("parts in their order", tops == sorted(tops), tops)
    bottom, height = page.js("document.querySelector('#changes').getBoundingClientRect().bottom"), page.js("innerHeight")
    check("what to change is on the first screen", bottom < height, bottom, height)
    proven = page.js("data.findings.filter(f => f.grade === 'proven' && !f.suppressed).length")
    rows = page.js("document.querySelectorAll('.changes li').length")
    check("each proven finding is told there", rows == min(proven, 8) or proven > 8 or not proven, rows, proven)
    figures = page.js("[...document.querySelectorAll('.figures > div')].map(d => d.getBoundingClientRect().top)")
    check("the figures are one row", len(set(figures)) == 1, figures)
    if not rows:
        return
    page.js("document.querySelector('.finding').open = false")
    page.js("scrollTo(0, 0)")
    page.click(*middle(page, ".changes li a"))
    card = page.js("(() => { const c = document.querySelector('.finding'), b = c.getBoundingClientRect(); return [c.open, b.top, innerHeight]; })()")
    check("a click on it opens its card", card[0] and 0 <= card[1] < card[2], card)
    page.click(*middle(page, ".finding summary"))
    check("a card folds", page.js("document.querySelector('.finding').open") is False)
    page.click(*middle(page, ".finding summary"))
    check("and unfolds", page.js("document.querySelector('.finding').open") is True)


def navigation(page):
    """Each link leads to its part, below the bar; the counts are those of what is there."""
    links = page.js("[...document.querySelectorAll('#bar nav a')].map(a => [a.hash.slice(1), a.querySelector('.number') ? Number(a.querySelector('.number').textContent.replace(/[^0-9]/g, '')) : null])")
    for part, number in links:
        page.js("scrollTo({top: 0, behavior: 'instant'}); document.documentElement.style.scrollBehavior = 'auto'")
        page.js(f"document.querySelector('#bar nav a[href=\"#{part}\"]').click()")
        page.frame()
        top, bar, last = page.js(f"[document.getElementById({part!r}).getBoundingClientRect().top, document.querySelector('#bar').getBoundingClientRect().bottom,"
                                 " scrollY + innerHeight >= document.documentElement.scrollHeight - 2]")
        check(f"'{part}' is jumped to", bar - 1 <= top < bar + 40 or (last and top >= bar - 1), part, top, bar, last)
        count = {"findings": "data.findings.filter(f => f.grade === 'proven' && !f.suppressed).length", "calls": "data.sites.filter(s => s.calls).length",
                 "device": "data.sites.filter(s => s.calls && s.device).reduce((n, s) => n + s.device.rows.length, 0)"}.get(part)
        if count:
            check(f"'{part}' counts right", (number or 0) == page.js(count), number, page.js(count))
    page.js("scrollTo({top: 0, behavior: 'instant'})")


def widths(page):
    """At 1400 pixels nothing must be scrolled sideways."""
    wide = page.js("[...document.querySelectorAll('.scroll')].filter(n => n.scrollWidth > n.clientWidth).map(n => [n.getAttribute('aria-label'), n.scrollWidth, n.clientWidth])")
    check("all columns fit", not wide, wide)
    check("the page fits", page.js("document.documentElement.scrollWidth <= innerWidth"))


def hatched(page):
    """What is left out or not timed: a legend, and a text where the mouse points."""
    check("hatched, and said", "hatched: " in page.js("document.querySelector('#timeline .hatched').textContent"))
    middle(page, "#timeline canvas")
    # The first gap that no event covers there.
    spot = page.js("""(() => { const line = theTimeline, box = line.canvas.getBoundingClientRect();
      for (const t of line.tracks) for (const gap of t.raw.gaps) {
        const x = line.x((gap[0] + gap[1]) / 2), y = t.y + (gap[3] === 1 ? 1.5 : .5) * LANE;
        if (x > LABEL && x < line.width && !line.at(x, y) && line.gapAt(x, y)) return [box.x + x, box.y + y, gapText(line.gapAt(x, y))];
      } return null; })()""")
    check("a gap is there", bool(spot))
    page.mouse("mouseMoved", spot[0], spot[1])
    page.frame()
    tip = page.js("document.querySelector('#tip').hidden ? '' : document.querySelector('#tip').textContent")
    check("what is missing there is said", tip == spot[2] and tip, tip, spot)


def findings(page):
    cards = page.js("document.querySelectorAll('.finding').length")
    chips = page.js("document.querySelectorAll('#findings .tools button').length")
    if chips:
        page.click(*middle(page, "#findings .tools button"))
        check("a grade hidden", page.js("document.querySelectorAll('.finding').length") < cards, cards)
        page.click(*middle(page, "#findings .tools button"))
        check("and shown", page.js("document.querySelectorAll('.finding').length") == cards)


def painted(page):
    return page.js("""(() => { const c = document.querySelector('#timeline canvas'), d = c.getContext('2d').getImageData(180, 0, c.width - 180, c.height).data;
      const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; })()""")


def timeline(page):
    check("timeline painted", painted(page) > 3)
    whole = span(page)
    x, y = middle(page, "#timeline canvas")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300, modifiers=2)
    page.frame()
    near = span(page)
    check("zoomed by wheel", near[1] - near[0] < 0.7 * (whole[1] - whole[0]), whole, near)
    page.js("document.querySelector('#timeline canvas').focus()")
    page.key("+", "+")
    nearer = span(page)
    check("zoomed by key", nearer[1] - nearer[0] < 0.7 * (near[1] - near[0]), near, nearer)
    page.key("ArrowRight")
    check("panned by key", span(page)[0] > nearer[0], nearer, span(page))
    moved = span(page)
    page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 100, y, button="left", buttons=1)
    page.mouse("mouseReleased", x + 100, y, button="left", clickCount=1)
    check("panned by mouse", span(page)[0] < moved[0], moved, span(page))
    page.js("theTimeline.show(theTimeline.model.end - 100, theTimeline.model.end)")
    page.key("n", "n")
    chosen = page.js("document.querySelector('#timeline .chosen').textContent")
    check("an event chosen by key, though none may be in sight", " at " in chosen and " ms" in chosen, chosen)
    page.key("Escape")
    page.key("0", "0")
    page.key("n", "n")
    chosen = page.js("document.querySelector('#timeline .chosen').textContent")
    check("the first one chosen by key", " at " in chosen and " ms" in chosen, chosen)
    page.key("n", "n")
    check("the next one", page.js("document.querySelector('#timeline .chosen').textContent") != chosen)
    page.key("0", "0")
    check("all again", span(page) == whole, span(page), whole)
    count = page.js("(() => { let text = ''; const old = window.Blob; window.Blob = class extends old { constructor(p, o) { super(p, o); text = p[0]; } };"
                    " document.querySelector('[aria-label^=\"Save as Chrome\"]').click(); window.Blob = old; return JSON.parse(text).traceEvents.length; })()")
    check("saved for Perfetto", count > 3, count)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page")
    arguments.add_argument("--seconds", type=float)
    arguments.add_argument("--shot")
    arguments.add_argument("--hatched", action="store_true", help="the timeline must have gaps")
    arguments.add_argument("--text", action="append", default=[])
    given = arguments.parse_args()
    page = browser.Browser(width=1400)
    try:
        took = min(page.open(given.page) for _ in range(3 if given.seconds else 1))
        print(f"drawn with {took:.2f} s of processor time")
        check("fast", not given.seconds or took < given.seconds, took)
        text = page.js("document.body.innerText")
        for wanted in given.text:
            check(f"'{wanted}' is there", wanted in text, text[:2000])
        light = page.js("getComputedStyle(document.body).backgroundColor")
        page.colours("dark")
        check("dark", page.js("getComputedStyle(document.body).backgroundColor") != light)
        page.click(*middle(page, "#bar button"))
        check("light by button", page.js("getComputedStyle(document.body).backgroundColor") == light)
        page.colours("light")
        widths(page)
        first_screen(page)
        navigation(page)
        findings(page)
        tables(page)
        if page.js("!!document.querySelector('#timeline')"):
            timeline(page)
            if given.hatched:
                hatched(page)
        check("nothing loaded", len(page.requests) == 1, page.requests)
        check("no markup came through", page.js("document.querySelectorAll('main img, main script').length") == 0)
        if given.shot:
            page.js("scrollTo(0, 0)")
            page.screenshot(given.shot)
        check("no error", not page.errors, page.errors)
    finally:
        page.close()


main()
