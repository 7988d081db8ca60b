"""Sends e-mail by the installation's server, encrypted unless it is this machine."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from core.concurrency import in_thread
from core.errors import MailUnavailable, SetupError
from core.settings import Settings

SECONDS = 20.0
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Mailer:
    """A server and who writes. TLS from the beginning on port 465, else by STARTTLS."""

    host: str
    port: int
    sender: str
    user: str = ""
    password: str = ""

    async def send(self, to: str, subject: str, text: str) -> None:
        """Raises `MailUnavailable`."""
        await in_thread(self._send, to, subject, text)

    def _send(self, to: str, subject: str, text: str) -> None:
        try:
            with self._connect() as server:
                if self.user:
                    server.login(self.user, self.password)
                server.send_message(self._message(to, subject, text))
        except (OSError, smtplib.SMTPException, UnicodeError) as error:
            raise MailUnavailable(f"The mail server {self.host}:{self.port} did not take a message: {error}") from error

    def _connect(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        if self.port == smtplib.SMTP_SSL_PORT:
            return smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS, context=context)
        server = smtplib.SMTP(self.host, self.port, timeout=SECONDS)
        if self.host not in THIS_MACHINE:
            server.starttls(context=context)
        return server

    def _message(self, to: str, subject: str, text: str) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"] = self.sender, to
        message["Subject"] = " ".join(subject.split())
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=self.sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        return message


def mailer_of(settings: Settings) -> Mailer | None:
    """None where the settings name no server. Raises `SetupError` for one without a sender's address."""
    if not settings.smtp_host:
        return None
    if not settings.smtp_from:
        raise SetupError("EDUMOD_SMTP_HOST is set, but nobody writes: set EDUMOD_SMTP_FROM to an address.")
    password = settings.smtp_password.get_secret_value()
    return Mailer(settings.smtp_host, settings.smtp_port, settings.smtp_from, settings.smtp_user, password)
