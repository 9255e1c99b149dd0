# SPDX-License-Identifier: GPL-2.0-or-later
"""Who calls everything that lrtbfd offers, in no order, with whatever fits into a message.

What there is to call is read from the daemon itself, and what its options are called from the prose of
dbus/*.xml: a member or an option that is added is called without a word here. One seed, one order and one
set of values; only what the calls meet differs with time.
"""
import array
import os
import random
import re
import socket
import xml.etree.ElementTree as ET

from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call
from lrtbf import MANAGER, NAME, ROOT, Connection
from others import NOBODY, connect_as

STANDARD = "org.freedesktop.DBus"
PROPERTIES = STANDARD + ".Properties"
ENDS = ("Stop", "PeerFailed")  # what ends a session when its owner calls it
BASIC = "ybnqiuxtdsog"
MOST_FDS = 16  # in one message on the system bus, by default
TEXTS = ("", "last", "last:brief", "brief", "long", "text", "json", "csv", "fifo", "0", "-1", "1s", "1ms", "daily",
         "all", "0-1023", "max <= 1ms", "../../etc/passwd", "/dev/zero", "%s%n%5000d", "a\nb", "\x01\x7f\x1b[2J",
         "'\";--",
         "\u2603\U0001f600\u202e", "\ufffe", "18446744073709551616", "1e999", "nan", "$(reboot)", "*:0/0", "k = (")
NUMBERS = (0, 1, 2, 7, 24, 99, 100, 1000, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
WIDTHS = {"y": (8, False), "n": (16, True), "q": (16, False), "i": (32, True), "u": (32, False), "x": (64, True),
          "t": (64, False)}
PATHS = ("/", "/a", f"{MANAGER}/session", f"{MANAGER}/session/a/b", f"{MANAGER}/session/last",
         f"{MANAGER}/session/s20200101T000000Z_0000", f"{MANAGER}/port/_2e_2e_2fetc", f"{MANAGER}/irq/0",
         f"{MANAGER}/irq/4294967320", f"{MANAGER}/irq/9999999999999999999999", f"{MANAGER}/thread/1_1",
         f"{MANAGER}/thread/2_99999999999999999999", f"{MANAGER}/thread/_", f"{MANAGER}/session/_00_ff_2f",
         f"{MANAGER}/session/" + "x" * 60000, MANAGER + "/a" * 5000, "/org/freedesktop/DBus")


def complete(signature):
    """The complete types that @signature is made of."""
    types, depth, start = [], 0, 0
    for i, c in enumerate(signature):
        depth += (c in "({") - (c in ")}")
        if depth == 0 and c != "a":
            types.append(signature[start:i + 1])
            start = i + 1
    return types


class Values:
    """Random types and values of them."""

    def __init__(self, rng, fd):
        self.rng, self.fd = rng, fd
        self.texts = list(TEXTS)

    def type(self, depth=0):
        kind = self.rng.random()
        if depth > 4 or kind < 0.5:
            return self.rng.choice(BASIC)
        if kind < 0.53:
            return "h"
        if kind < 0.65:
            return "v"
        if kind < 0.8:
            return "a" + self.type(depth + 1)
        if kind < 0.9:
            return "(" + "".join(self.type(depth + 1) for _ in range(self.rng.randint(1, 4))) + ")"
        return "a{" + self.rng.choice(BASIC) + self.type(depth + 1) + "}"

    def text(self):
        kind = self.rng.random()
        if kind < 0.85:
            return self.rng.choice(self.texts)
        if kind < 0.995:
            return self.rng.choice("x\u00e9=;({\n ") * int(10 ** self.rng.uniform(0, 4))
        return self.rng.choice("x(;") * (1 << 20)

    def length(self):
        kind = self.rng.random()
        return self.rng.randint(0, 3) if kind < 0.97 else int(10 ** self.rng.uniform(1, 3.3))

    def number(self, code):
        bits, signed = WIDTHS[code]
        n = self.rng.choice(NUMBERS) % (1 << bits)
        return n - (1 << bits) if signed and n >= 1 << (bits - 1) else n

    def variant(self, depth):
        signature = self.type(depth) if self.rng.random() < 0.98 else "v"
        if signature == "v" and depth == 0:  # a nest of them
            value = ("s", self.text())
            for _ in range(self.rng.randint(1, 30)):
                value = ("v", value)
            return value
        return signature, self.value(signature, depth + 1)

    def value(self, signature, depth=0):
        code = signature[0]
        if code in WIDTHS:
            return self.number(code)
        if code == "a":
            return self.array(signature[1:], depth)
        if code == "(":
            return tuple(self.value(t, depth + 1) for t in complete(signature[1:-1]))
        return {"b": lambda: self.rng.random() < 0.5, "d": lambda: self.rng.choice((0.0, -1e308, float("nan"), 0.1)),
                "s": self.text, "o": lambda: self.rng.choice(PATHS[:-3]),
                "g": lambda: self.rng.choice(("", "a{sv}", "ai" * 100)),
                "h": lambda: self.fd, "v": lambda: self.variant(depth)}[code]()

    def array(self, element, depth):
        length = self.length() if depth == 0 and "h" not in element else self.rng.randint(0, 2)
        if element == "y":
            return self.rng.randbytes(length)
        if element[0] == "{":
            return {self.value(element[1], depth + 1): self.value(element[2:-1], depth + 1) for _ in range(length)}
        return [self.value(element, depth + 1) for _ in range(length)]


def prose():
    """{interface.method: [(option, type)...]}: what is written of each, as types in brackets and as mere words."""
    known = {}
    for path in (ROOT / "dbus").glob("*.xml"):
        text, interface = path.read_text(), path.stem
        for comment in re.findall(r"<!--\s+(\w+:.*?)-->", text, re.S):
            typed = re.findall(r"\b([a-z_]+) \(([sbutxi]|as)\b", comment)
            words = sorted(set(re.findall(r"\b[a-z_]{2,}\b", comment)))
            known[f"{interface}.{comment.split(':', 1)[0]}"] = typed * 3 + [(w, "s") for w in words]
    return known


class Member:
    """A method, or a property to be read, set or listed."""

    def __init__(self, path, interface, name, signature, prop=None):
        self.path, self.interface, self.name, self.signature = path, interface, name, signature
        self.prop = prop  # (interface, name)

    def __str__(self):
        return f"{self.interface}.{self.name}" + (f" {'.'.join(self.prop)}" if self.prop else "")


def members(caller, paths):
    """Everything that the objects at @paths say they have."""
    found = {}
    for path in paths:
        node = ET.fromstring(caller.call(path, STANDARD + ".Introspectable", "Introspect"))
        for interface in node.iter("interface"):
            owner = interface.get("name")
            made = [Member(path, owner, m.get("name"), "".join(
                a.get("type") for a in m.findall("arg") if a.get("direction", "in") == "in"))
                for m in interface.findall("method")]
            for prop in interface.findall("property"):
                where = owner, prop.get("name")
                made += [Member(path, PROPERTIES, "Get", "ss", where), Member(path, PROPERTIES, "Set", "ssv", where)]
            if interface.findall("property"):
                made.append(Member(path, PROPERTIES, "GetAll", "s", (owner,)))
            found.update({(str(m), m.path): m for m in made})
    return list(found.values())


class Client(Connection):
    """One of the crowd. Its calls are sent without waiting for the answers."""

    def __init__(self, address):
        super().__init__(address)
        self.open = {}  # serial: what was called

    def send(self, message, what, fds=()):
        """@fds travel with the message whether or not it mentions them. False: there are too many."""
        serial = next(self.raw.outgoing_serial)
        attached = array.array("i", fds)
        data = message.serialise(serial=serial, fds=attached)
        if len(attached) > MOST_FDS:
            return False
        self.open[serial] = what
        if attached:
            data = data[self.raw.sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, attached)]):]
        self.raw.sock.sendall(data)
        return True

    def answers(self, timeout=60):
        """(what, error's name or "", error's text) of each call, until all are answered."""
        while self.open:
            message = self.raw.receive(timeout=timeout)
            what = self.open.pop(message.header.fields.get(HeaderFields.reply_serial), None)
            failed = message.header.message_type == MessageType.error
            for value in () if failed else message.body:
                if hasattr(value, "to_raw_fd"):
                    value.close()
            if what:
                yield what, message.header.fields[HeaderFields.error_name] if failed else "", \
                    message.body[0] if failed and message.body else ""


def crowd(bus, count):
    """@count clients, every other one nobody's when we are root."""
    uids = (0, NOBODY) if os.geteuid() == 0 else (os.geteuid(),)
    return [connect_as(bus, uids[i % len(uids)], Client) for i in range(count)]


class Enemy:
    """Makes random calls. A session at @spared is asked for everything but its end."""

    def __init__(self, caller, seed, paths, spared=None):
        self.rng = random.Random(seed)
        self.null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self.values = Values(self.rng, self.null)
        self.spared, self.paths = spared, [*paths, *PATHS]
        self.values.texts += [p.rsplit("/", 1)[1] for p in paths]
        self.members = members(caller, paths)
        self.options = prose()
        self.turn = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.null)

    def member(self):
        """Each in turn, in a new order every time."""
        if not self.turn:
            self.turn = self.rng.sample(self.members, len(self.members))
        return self.turn.pop()

    def arguments(self, member):
        """Those that @member takes."""
        if member.prop:
            args = [*member.prop, *(self.values.value(t) for t in complete(member.signature)[len(member.prop):])]
            if self.rng.random() < 0.1:
                args[self.rng.randrange(len(member.prop))] = self.values.text()
            return tuple(args)
        known = self.options.get(str(member), [])
        return tuple(self.dictionary(known) if t == "a{sv}" and self.rng.random() < 0.9 else self.values.value(t)
                     for t in complete(member.signature))

    def dictionary(self, known):
        if not known or self.rng.random() < 0.4:
            return {}
        chosen = self.rng.sample(known, min(self.values.length(), len(known)))
        return {k: (t, self.values.value(t)) if self.rng.random() < 0.8 else self.values.variant(0) for k, t in chosen}

    def call(self):
        """(message, member, further descriptors)"""
        rng, member = self.rng, self.member()
        path, interface, name, signature = member.path, member.interface, member.name, member.signature
        if rng.random() < 0.7:
            args = self.arguments(member)
        else:
            signature = "".join(self.values.type() for _ in range(rng.randint(0, 4)))
            args = tuple(self.values.value(t) for t in complete(signature))
        if rng.random() < 0.2:
            path = rng.choice(self.paths)
        if rng.random() < 0.04:
            interface = rng.choice((None, NAME + ".X", NAME + ".x" * 120, PROPERTIES))
        if rng.random() < 0.04:
            name = rng.choice(("X", "x" * 255, "Stop", "Get"))
        if path == self.spared and name in ENDS:
            path = PATHS[0]
        message = new_method_call(DBusAddress(path, bus_name=NAME, interface=interface), name, signature or None, args)
        return message, member, [self.null] * rng.randint(1, 4) if rng.random() < 0.02 else []

    def send(self, client):
        while not client.send(*self.call()):
            pass


def storm(enemy, bus, calls, clients):
    """All clients at once. ({error's name: {member: text}}, {member: how many calls})"""
    everyone = crowd(bus, clients)
    for _ in range(calls // clients):
        for client in enemy.rng.sample(everyone, len(everyone)):
            enemy.send(client)
    names, called = {}, {}
    for client in everyone:
        for member, name, text in client.answers():
            names.setdefault(name, {}).setdefault(str(member), text)
            called[str(member)] = called.get(str(member), 0) + 1
        client.close()
    return names, called
