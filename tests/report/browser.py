"""Drives a headless Chromium by the DevTools protocol, over a pipe."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio", "--remote-debugging-pipe"]


def find():
    """The path of a Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page. Used with `with`."""

    def __init__(self, size=(1400, 900)):
        self.profile = tempfile.mkdtemp(prefix="cairn-chromium-")
        to_browser, self.to = os.pipe()
        self.source, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        command = [find(), *FLAGS, f"--user-data-dir={self.profile}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", *command], pass_fds=(to_browser, from_browser),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.buffer = b""
        self.console = []  # errors and messages of the page
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one for one in targets if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        while b"\0" not in self.buffer:
            data = os.read(self.source, 1 << 20)
            if not data:
                raise EOFError("the browser ended")
            self.buffer += data
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def note(self, message):
        method, of = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.console.append("exception: " + json.dumps(of["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled":
            self.console.append("console: " + " ".join(str(one.get("value")) for one in of["args"]))
        elif method == "Log.entryAdded":
            self.console.append("log: " + of["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.console.append("dialog: " + of["message"])

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") != self.number:
                self.note(message)
                continue
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            return message["result"]

    def open(self, url):
        self.call("Page.navigate", url=url)

    def eval(self, text):
        """The value of an expression; of a promise, what it resolves to."""
        result = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:800])
        return result["result"].get("value")

    def wait(self, text, seconds=30):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.eval(text)
            if value:
                return value
            time.sleep(0.02)
        raise TimeoutError(f"{text}; the page's messages: {self.console}")

    def key(self, key, text=None):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text if text is not None else (key if len(key) == 1 else ""))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for part in (0.3, 0.6, 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))
