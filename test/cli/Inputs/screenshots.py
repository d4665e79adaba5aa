# Pictures of a page of gpuinstr html, for the docs: its first screen, its timeline.
# SPDX-License-Identifier: Apache-2.0
#
# usage: screenshots.py PAGE FOLDER
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402


def main():
    path, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    page = browser.Browser(width=1400, height=900)
    try:
        page.open(path)
        page.screenshot(os.path.join(folder, "page.png"))
        page.js("document.getElementById('timeline').scrollIntoView()")
        page.frame()
        page.js("document.getElementById('timeline').style.padding = '.8rem'")
        page.screenshot(os.path.join(folder, "timeline.png"), of="#timeline")
        if page.errors:
            sys.exit(str(page.errors))
    finally:
        page.close()


main()
