# SPDX-License-Identifier: GPL-2.0-or-later
"""Callers of other users and the services that lrtbfd asks: a scripted polkit, a scripted logind.
And who listens to its signals."""
import contextlib
import os
import threading
import time

from jeepney import HeaderFields, MessageFlag, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import Proxy, open_dbus_connection

from lrtbf import Connection, wait_for

NOBODY = 65534


def connect_as(bus, uid, kind=Connection):
    """A connection whose socket belongs to @uid: the kernel notes the effective uid at connect()."""
    own = os.geteuid()
    os.seteuid(uid)
    try:
        return kind(bus.address)
    finally:
        os.seteuid(own)


@contextlib.contextmanager
def several(kind, *args):
    """make(**kwargs): one more of @kind each time, all of them closed at the end."""
    with contextlib.ExitStack() as made:
        yield lambda **kwargs: made.enter_context(contextlib.closing(kind(*args, **kwargs)))


class Listener:
    """All signals of the daemon from now on, in order: (path, interface.member, body)."""

    def __init__(self, bus):
        self.connection = bus.connect()
        self.connection.subscribe()
        self.got = []

    def read(self, timeout=0.0):
        while True:
            try:
                message = self.connection.raw.receive(timeout=timeout)
            except TimeoutError:
                return self.got
            if message.header.message_type != MessageType.signal:
                continue
            fields = message.header.fields
            member = f"{fields[HeaderFields.interface]}.{fields[HeaderFields.member]}"
            self.got.append((fields[HeaderFields.path], member, message.body, time.monotonic()))

    def of(self, member, path=None):
        return [(p, body, at) for p, m, body, at in self.read()
                if m.endswith("." + member) and path in (None, p)]

    def wait(self, member, path=None, count=1, timeout=20):
        wait_for(lambda: self.read(0.05) and len(self.of(member, path)) >= count, timeout=timeout,
                 what=f"{count} {member}")
        return self.of(member, path)


class Service:
    """Owns a name on the bus and answers in a thread; calls are noted as (member, body)."""
    name = None

    def __init__(self, bus):
        self.raw = open_dbus_connection(bus=bus.address, enable_fds=True)
        assert Proxy(message_bus, self.raw).RequestName(self.name) == (1,)
        self.calls = []
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                message = self.raw.receive()
            except Exception:  # the bus ended, or close() did
                return
            if message.header.message_type != MessageType.method_call:
                continue
            reply = self.answer(message, self.member(message), message.body)
            self.calls.append((self.member(message), message.body))
            if reply is not None:
                self.raw.send(reply)

    @staticmethod
    def member(message):
        return message.header.fields[HeaderFields.member]

    def called(self, member):
        return [body for m, body in self.calls if m == member]

    def close(self):
        try:
            self.raw.close()
        except OSError:
            pass


class Polkit(Service):
    """Answers CheckAuthorization by its table action -> "yes", "no", "challenge" or "hold" (never)."""
    name = "org.freedesktop.PolicyKit1"

    def __init__(self, bus, **answers):
        self.answers = {f"org.lrtbf1.{k.replace('_', '-')}": v for k, v in answers.items()}
        self.held = []
        super().__init__(bus)

    def answer(self, message, member, body):
        if member != "CheckAuthorization":
            return new_method_return(message)
        answer = self.answers.get(body[1], "no")
        if answer == "hold":
            self.held.append(message)
            return None
        if answer == "error":
            return new_error(message, "org.freedesktop.PolicyKit1.Error.Failed", "s", ("broken",))
        if answer == "nonsense":
            return new_method_return(message, "u", (7,))
        return self.verdict(message, answer)

    @staticmethod
    def verdict(message, answer):
        return new_method_return(message, "(bba{ss})", ((answer == "yes", answer == "challenge", {}),))

    def release(self, answer):
        held, self.held = self.held, []
        for message in held:
            self.raw.send(self.verdict(message, answer))


class Logind(Service):
    """Gives the write end of a pipe as the lock; held() tells whether somebody has it open."""
    name = "org.freedesktop.login1"

    def __init__(self, bus):
        self.read = None
        super().__init__(bus)

    def answer(self, message, member, body):
        self.read, write = os.pipe()
        os.set_blocking(self.read, False)
        reply = new_method_return(message, "h", (write,))
        self.raw.send(reply)
        os.close(write)
        return None

    def held(self):
        if self.read is None:
            return False
        try:
            return os.read(self.read, 1) != b""
        except BlockingIOError:
            return True


def call_flags(connection, message, *flags):
    for flag in flags:
        message.header.flags |= flag
    return message


INTERACTIVE = MessageFlag.allow_interactive_authorization
