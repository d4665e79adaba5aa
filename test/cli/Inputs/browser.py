# A headless Chromium driven over a pipe (DevTools protocol), with nothing but Python's library.
# SPDX-License-Identifier: Apache-2.0
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    """One page. What it writes to the console as a warning or error, and what it throws, is kept."""

    def __init__(self, width=1280, height=900):
        self.home = tempfile.mkdtemp(prefix="gpuinstr-browser-")
        into, self.write = os.pipe()
        self.read, out = os.pipe()

        def pipes():  # Chromium reads from 3 and writes to 4
            first, second = os.dup(into), os.dup(out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             f"--user-data-dir={self.home}", f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(out)
        self.buffer, self.number, self.session = b"", 0, None
        self.errors, self.requests, self.events = [], [], []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.colours("light")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        try:
            os.close(self.write)
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.read, 1 << 20)
            if not part:
                raise EOFError("the browser is gone")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.errors.append("console: " + str([a.get("value") for a in values["args"]]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.errors.append("log: " + values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        if method:
            self.events.append(method)
        return message

    def call(self, method, seconds=300, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path):
        """Seconds of processor time that the page's own thread needed until it was drawn."""
        self.events.clear()
        self.requests.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + 300
        while "Page.loadEventFired" not in self.events:
            self.message(deadline)
        self.frame()
        return next(m["value"] for m in self.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", str(result)))
        return result["result"].get("value")

    def key(self, key, text=""):
        values = {"key": key, "code": key}
        if key in CODES:
            values["windowsVirtualKeyCode"] = CODES[key]
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", **values)

    def type(self, text):
        for character in text:
            self.key(character, character)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.frame()

    def colours(self, scheme):
        """Light or dark; what moves does so at once."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                          {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.frame()

    def frame(self):
        """Until what was asked for is drawn."""
        self.js("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def screenshot(self, path, of=None):
        """What is in sight, or all of an element."""
        values = {"format": "png"}
        if of:
            x, y, width, height = self.js(f"(() => {{ const b = document.querySelector({of!r}).getBoundingClientRect();"
                                          " return [b.x + scrollX, b.y + scrollY, b.width, b.height]; })()")
            values.update(captureBeyondViewport=True, clip={"x": x, "y": y, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **values)["data"]))


CODES = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, " ": 32}
