"""A mail server of this machine: real SMTP (aiosmtpd) and a small real IMAP, both by TLS, with one mailbox."""

from __future__ import annotations

import re
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from ipaddress import ip_address
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
USER, PASSWORD = "edumod@example.edu", "right"


@dataclass
class MailServer:
    """`mailbox` holds messages by number; `taken` those that were sent, with their receivers."""

    context: ssl.SSLContext
    client: ssl.SSLContext
    mailbox: dict[int, bytes] = field(default_factory=dict)
    taken: list[tuple[list[str], bytes]] = field(default_factory=list)
    imap_port: int = 0
    smtp_port: int = 0
    refuses_receiver: str = ""
    refuses: str = ""
    """What the server says to each message, such as `451 greylisted`."""

    def deliver(self, raw: bytes) -> int:
        uid = max(self.mailbox, default=0) + 1
        self.mailbox[uid] = raw
        return uid

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any) -> str:
        if address == self.refuses_receiver:
            return "550 nobody here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refuses:
            return self.refuses
        self.taken.append((list(envelope.rcpt_tos), envelope.content))
        if USER in envelope.rcpt_tos:
            self.deliver(envelope.content)
        return "250 OK"


@contextmanager
def mail_server(folder: Path) -> Iterator[MailServer]:
    from aiosmtpd.controller import Controller
    from aiosmtpd.smtp import AuthResult

    certificate, key = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = MailServer(context, ssl.create_default_context(cafile=str(certificate)))

    def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> Any:
        return AuthResult(success=(data.login, data.password) == (USER.encode(), PASSWORD.encode()))

    class AnyPort(Controller):
        def _trigger_server(self) -> None:
            # It tries whether it can be reached, at a port that is not known before.
            self.port = _port(self.server)
            super()._trigger_server()  # type: ignore[no-untyped-call]

    smtp = AnyPort(
        server, hostname=HOST, port=0, ssl_context=context, authenticator=authenticate, auth_required=True,
        auth_require_tls=False,
    )  # fmt: skip
    smtp.start()
    imap = socketserver.ThreadingTCPServer((HOST, 0), _handler(server))
    imap.daemon_threads = True
    threading.Thread(target=imap.serve_forever, daemon=True).start()
    server.smtp_port = smtp.port
    server.imap_port = imap.server_address[1]
    try:
        yield server
    finally:
        smtp.stop()
        imap.shutdown()
        imap.server_close()


def _port(server: Any) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


def _handler(server: MailServer) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def setup(self) -> None:
            self.request = server.context.wrap_socket(self.request, server_side=True)
            super().setup()

        def handle(self) -> None:
            self.say("* OK ready")
            while line := self.rfile.readline().decode().strip():
                tag, _, command = line.partition(" ")
                try:
                    told = self.answer(command)
                except PermissionError:
                    self.say(f"{tag} NO wrong password")
                    continue
                for text in told:
                    self.wfile.write(text)
                self.say(f"{tag} OK done")
                if command.upper() == "LOGOUT":
                    return

        def say(self, text: str) -> None:
            self.wfile.write(text.encode() + b"\r\n")

        def answer(self, command: str) -> list[bytes]:
            word = command.split()[0].upper()
            if word == "CAPABILITY":
                return [b"* CAPABILITY IMAP4rev1\r\n"]
            if word == "LOGIN":
                if command.split()[1:] != [USER, f'"{PASSWORD}"']:
                    raise PermissionError
                return []
            if word in ("SELECT", "EXAMINE"):
                return [f"* {len(server.mailbox)} EXISTS\r\n* OK [UIDVALIDITY 9] valid\r\n".encode()]
            if word == "UID":
                return search(server, command) if command.split()[1] == "SEARCH" else fetch(server, command)
            return []

    return Handler


def search(server: MailServer, command: str) -> list[bytes]:
    uids = sorted(server.mailbox)
    if match := re.search(r"UID (\d+):\*", command):
        # RFC 3501: a range with `*` holds the last message, whatever the other end is.
        uids = [uid for uid in uids if uid >= int(match[1]) or uid == uids[-1]]
    elif "UID *" in command:
        uids = uids[-1:]
    else:
        terms = re.findall(r'HEADER (\S+) "([^"]*)"', command)
        assert command.count("OR") == len(terms) - 1
        uids = [uid for uid in uids if _has(server.mailbox[uid], terms)]
    return [f"* SEARCH {' '.join(map(str, uids))}\r\n".encode()]


def _has(raw: bytes, terms: list[tuple[str, str]]) -> bool:
    mail = message_from_bytes(raw, policy=default)
    return any(text.casefold() in str(mail[name] or "").casefold() for name, text in terms)


def fetch(server: MailServer, command: str) -> list[bytes]:
    uid = int(command.split()[2])
    raw = server.mailbox[uid]
    return [f"* {uid} FETCH (UID {uid} BODY[]<0> {{{len(raw)}}}\r\n".encode(), raw, b")\r\n"]


def _certificate(folder: Path) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    begin = datetime.now(UTC) - timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "server.pem", folder / "server.key"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    paths[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return paths
