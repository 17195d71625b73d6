"""Faults that the real programs don't produce: lost requests and responses, and invalid id tokens."""
import base64
import collections
import http.client
import json
import subprocess
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """An HTTP server on a free port. It runs during a `with` block."""

    def __init__(self, answer):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                length = int(self.headers.get("Content-Length") or 0)
                found = answer(self.command, self.path, self.headers, self.rfile.read(length))
                self.close_connection = True
                if found is None:
                    # The connection closes without a response.
                    return
                status, headers, body = found
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exception):
        self.server.shutdown()
        self.server.server_close()


class LossyRegistry(Server):
    """A proxy of the registry. It loses the `request` or the `answer` of each claim; with None, it loses nothing."""

    def __init__(self, registry, loses):
        self.key_file = registry.key_file
        self.loses = loses
        self.claims = []

        def answer(method, path, headers, body):
            if method == "PUT":
                self.claims.append((path, body, headers["Idempotency-Key"]))
                if self.loses == "request":
                    return None
            connection = http.client.HTTPConnection("127.0.0.1", registry.port, timeout=60)
            passed = {name: headers[name] for name in ("Authorization", "Content-Type", "Idempotency-Key") if name in headers}
            connection.request(method, path, body, passed)
            got = connection.getresponse()
            content = got.read()
            connection.close()
            if method == "PUT" and self.loses == "answer":
                return None
            kept = {name: value for name, value in got.getheaders()
                    if name.lower() in ("content-type", "retry-after", "etag")}
            return got.status, kept, content

        super().__init__(answer)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Forger(Server):
    """An issuer that signs every browser in as the same person. A test may change its id tokens."""

    def __init__(self, folder, person):
        self.person = person
        self.key = folder / "forger.pem"
        subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.key], check=True)
        # The last 64 bytes of the public key are its coordinates.
        public = subprocess.run(
            ["openssl", "ec", "-in", self.key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout[-64:]
        self.jwk = {"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "one",
                    "x": base64url(public[:32]), "y": base64url(public[32:])}
        # The requests of each path.
        self.requests = collections.Counter()
        self.change = lambda header, claims: (header, claims)
        self.spoil = lambda token: token
        self.nonces = {}

        def json_answer(value):
            return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()

        def answer(method, path, headers, body):
            address = urllib.parse.urlsplit(path)
            query = dict(urllib.parse.parse_qsl(address.query))
            self.requests[address.path] += 1
            match address.path:
                case "/.well-known/openid-configuration":
                    return json_answer({
                        "issuer": self.url, "authorization_endpoint": self.url + "/authorize",
                        "token_endpoint": self.url + "/token", "jwks_uri": self.url + "/keys"})
                case "/keys":
                    return json_answer({"keys": [self.jwk]})
                case "/authorize":
                    self.nonces["code"] = query["nonce"]
                    back = urllib.parse.urlencode({"code": "code", "state": query["state"]})
                    return 302, {"Location": query["redirect_uri"] + "?" + back}, b""
                case "/token":
                    return json_answer({"access_token": "a", "token_type": "Bearer", "expires_in": 3600,
                                        "id_token": self.token()})
            return 404, {}, b""

        super().__init__(answer)

    def token(self):
        now = int(time.time())
        header, claims = self.change(
            {"alg": "ES256", "kid": "one", "typ": "JWT"},
            {"iss": self.url, "sub": self.person, "aud": "sign-up", "iat": now, "exp": now + 3600,
             "nonce": self.nonces["code"]})
        content = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        return self.spoil(content + "." + base64url(self.sign(content.encode())))

    def sign(self, content):
        der = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key], input=content, check=True, capture_output=True).stdout
        # DER: SEQUENCE { INTEGER r, INTEGER s }. JWS needs r and s with 32 bytes each.
        r_end = 4 + der[3]
        r, s = der[4:r_end], der[r_end + 2:]
        return b"".join(part.lstrip(b"\0").rjust(32, b"\0") for part in (r, s))
