"""Shows the passes of TVM on a page of irscope while TVM compiles.

Copy this file beside your script, start `irscope serve`, and give the pass context the instrument:

    import irscope_tvm

    with irscope_tvm.watch("http://127.0.0.1:8080", name="my model") as live:
        print(live.url)
        with tvm.transform.PassContext(opt_level=3, instruments=[live.instrument]):
            tvm.compile(mod, target)

The module is printed and sent before and after each pass. A failure to send never ends a compilation: it is reported once, and nothing
more is sent. The file needs TVM and the standard library of Python 3.8 or newer.
"""

import json
import sys
import urllib.error
import urllib.request

__all__ = ["Live", "watch"]

_TIMEOUT = 30  # seconds for a request


class Live:
    """A dump that goes on: `url` is its page, `instrument` goes into the PassContext. `close` ends it."""

    def __init__(self, server="http://127.0.0.1:8080", name="TVM", before=True):
        """Makes a session on a server. With before=False only the modules after passes are sent, which is half as much."""
        self.server = server.rstrip("/")
        self.before = before
        self.failed = None
        made = self._post("/api/dumps", json.dumps({"name": name}).encode(), "application/json", "")
        self._token = made["edit_token"]
        self._path = "/api/runs/%s/dump" % made["run"]["id"]
        self.url = "%s/s/%s" % (self.server, made["session"]["id"])
        self._instrument = None

    @property
    def instrument(self):
        """The instrument, for PassContext(instruments=[...])."""
        if self._instrument is None:
            self._instrument = _instrument(self)
        return self._instrument

    def send(self, when, mod, name):
        """Sends a module; when is "before" or "after"."""
        if self.failed is not None:
            return
        try:
            text = mod.script() if hasattr(mod, "script") else str(mod)
            if not text.endswith("\n"):
                text += "\n"
            dump = "Print IR %s: %s\n%s" % (when, name, text)
            self._post(self._path + "?more=1", dump.encode("utf-8", "replace"), "text/plain", self._token)
        except Exception as err:  # a compilation must not fail because nobody can watch it
            self.failed = err
            print("irscope: nothing more is sent: %s" % err, file=sys.stderr)

    def close(self):
        """Ends the dump."""
        if self.failed is not None:
            return
        try:
            self._post(self._path, b"", "text/plain", self._token)
        except Exception as err:
            self.failed = err
            print("irscope: the dump has no end: %s" % err, file=sys.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _post(self, path, body, kind, token):
        headers = {"Content-Type": kind, "Accept": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        request = urllib.request.Request(self.server + path, data=body, headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as err:
            try:
                said = json.load(err)["error"]["message"]
            except Exception:
                said = str(err)
            raise RuntimeError("the server refused: %s" % said) from None


def watch(server="http://127.0.0.1:8080", name="TVM", before=True):
    """Makes a session on a server, to be used in a with statement."""
    return Live(server, name, before)


def _instrument(live):
    """Makes the instrument. TVM is imported here, so that the rest of the file works without it."""
    import tvm

    @tvm.instrument.pass_instrument
    class IrscopeInstrument:
        """Sends the module before and after each pass."""

        def run_before_pass(self, mod, info):
            if live.before:
                live.send("before", mod, info.name)

        def run_after_pass(self, mod, info):
            live.send("after", mod, info.name)

    return IrscopeInstrument()
