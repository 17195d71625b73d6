"""The registry, the issuer and the page, as programs that tests start and stop."""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

PROGRAMS = Path(os.environ["SIGN_UP_PROGRAMS"])
# The timeout of a start and a stop in seconds. It is long, because the machine may be busy.
PATIENCE = 120


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    """A program with an HTTP address."""

    def __init__(self, name, folder, command, probe, port, environment=None):
        self.name, self.command, self.probe, self.port = name, command, probe, port
        self.log = folder / f"{name}.log"
        base = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        self.environment = base | (environment or {})
        self.url = f"http://127.0.0.1:{port}"
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in self.command], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True)
        end = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, f"{self.name} did not start:\n{self.log.read_text()[-2000:]}"
            try:
                with urllib.request.urlopen(self.url + self.probe, timeout=5):
                    return self
            except (urllib.error.URLError, OSError):
                assert time.monotonic() < end, f"{self.name} does not answer:\n{self.log.read_text()[-2000:]}"
                time.sleep(0.05)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=PATIENCE)


class Registry(Program):
    def __init__(self, folder):
        port = free_port()
        super().__init__(
            "registry", folder, [PROGRAMS / "handles", "serve", "--port", port], "/readyz", port,
            # Long timeouts: the machine may be busy.
            {"HANDLES_DATA": str(folder / "registry"), "HANDLES_DRAIN": "0s", "HANDLES_ANONYMOUS_LIMIT": "none",
             "HANDLES_DATABASE_TIME": "60s"})
        self.key_file = folder / "registry-key"

    def start(self):
        super().start()
        if not self.key_file.exists():
            self.key_file.write_text(self.command_line("keys", "create", "--name", "page", "--scope", "claim"))
        # The service accepts a new key within two seconds.
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.call("GET", "/v1/owners/nobody/handles")
                return self
            except urllib.error.HTTPError as error:
                assert error.code == 401 and time.monotonic() < end, error
                time.sleep(0.05)

    def command_line(self, *arguments):
        return subprocess.run(
            [PROGRAMS / "handles", *arguments], env=self.environment, check=True, capture_output=True, text=True,
            timeout=PATIENCE).stdout

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.key_file.read_text().strip()})
        with urllib.request.urlopen(request, timeout=60) as answer:
            content = answer.read()
            return json.loads(content) if content else None

    def claim(self, handle, owner="another-owner"):
        self.call("PUT", f"/v1/handles/{handle}", {"owner": f"{owner}-{handle}"})


class Issuer(Program):
    def __init__(self, folder, lifetime=3600):
        port = free_port()
        super().__init__(
            f"issuer-{port}", folder,
            [PROGRAMS / "test-issuer", "--port", port, "--client-id", "sign-up", "--redirect-uri", "http://127.0.0.1/callback", "--lifetime", lifetime, "--grace", 10],
            "/.well-known/openid-configuration", port)

    def fail(self, endpoint, fault, times=1, **more):
        self.post("/faults", {"endpoint": endpoint, "fault": fault, "times": times, **more})

    def sign_out_everywhere(self, person):
        self.post("/sign-out-everywhere", {"person": person})

    def post(self, path, body):
        urllib.request.urlopen(
            urllib.request.Request(self.url + path, method="POST", data=json.dumps(body).encode()), timeout=60).close()


class Page(Program):
    def __init__(self, folder, registry, issuer, days=30):
        port = free_port()
        self.data = folder / f"page-{port}"
        super().__init__(
            f"page-{port}", folder,
            [PROGRAMS / "sign-up", "--port", port, "--issuer", issuer.url, "--registry", registry.url,
             "--registry-key-file", registry.key_file, "--data", self.data, "--session-days", days], "/livez", port)
        self.registry, self.issuer = registry, issuer
