# SPDX-License-Identifier: GPL-2.0-or-later
"""A service that answers for lrtbfd as a test wants it: what the real one does rarely or never.

Runs in a thread of the test. Handlers are called with the call's arguments and return
(signature, values); what was called is kept in `calls` as (member, arguments, flags), and the object
it was called on in `paths`.
"""
import os
import threading

from jeepney import (DBusAddress, HeaderFields, MessageType, message_bus, new_error,
                     new_method_return, new_signal)
from jeepney.io.blocking import Proxy, open_dbus_connection

from lrtbf import MANAGER, NAME

SID = "s20261130T020000Z_4f2a"
PATH = f"{MANAGER}/session/{SID}"


class Refuse(Exception):
    """Raised by a handler: an error reply."""

    def __init__(self, name, text="No."):
        super().__init__(text)
        self.name = name if "." in name else f"{NAME}.Error.{name}"
        self.text = text


def refuse(name, text="No."):
    """A handler that refuses everything."""
    def handler(*args):
        raise Refuse(name, text)
    return handler


class Fake:
    def __init__(self, address, **handlers):
        self.calls, self.paths = [], []
        self.properties = {
            "Manager": {"Version": ("s", "9.9"), "KernelRelease": ("s", "6.1"),
                        "Realtime": ("b", True), "ActiveSession": ("o", "/"),
                        "QueueLength": ("u", 0), "Trouble": ("s", ""),
                        "IrqWatching": ("s", "process-events"), "IrqPaused": ("b", False)},
            "Session": {"Id": ("s", SID), "Plan": ("s", "quick"), "State": ("s", "done"),
                        "Verdict": ("s", "pass")},
        }
        self.report = "the report\n"
        self.archive = b"the archive"
        self.handlers = {
            "StartSession": lambda plan, options: ("so", (SID, PATH)),
            "GetSession": lambda name: ("o", (PATH,)),
            "GetAll": lambda interface: ("a{sv}", (self.properties[interface.split(".")[-1]],)),
            "Stop": lambda options: ("", ()),
            "GetReport": lambda fmt, options: ("s", (self.report,)),
            "OpenReport": self._open_report,
            "ListSessions": lambda *args: ("aa{sv}s", ([], "")),
            "ListPlans": lambda options: ("aa{sv}", ([],)),
            "GetSchedule": lambda options: ("aa{sv}", ([],)),
            "SetSchedule": lambda plan, schedule, options: ("a{sv}", ({"plan": ("s", plan)},)),
            "CheckPlan": lambda text, options: ("aa{sv}", ([],)),
            "CheckSystem": lambda options: ("aa{sv}", ([],)),
            "DeleteSession": lambda sid, options: ("", ()),
            "SetKeep": lambda keep, options: ("", ()),
            "ListIrqs": lambda options: ("aa{sv}", ([],)),
            "ListThreads": lambda options: ("aa{sv}", ([],)),
            "ListIrqRules": lambda options: ("aa{sv}", ([],)),
            "CheckIrqRules": lambda options: ("aa{sv}aa{sv}", ([], [])),
            "ApplyIrqPolicy": lambda options: ("aa{sv}", ([],)),
            "RestoreIrqPolicy": lambda options: ("aa{sv}", ([],)),
            "OpenIrqCapture": self._open_capture,
            "Set": lambda attributes, options: ("aa{sv}", ([],)),
            "SetAffinity": lambda cpus, options: ("aa{sv}", ([],)),
            "Restore": lambda options: ("aa{sv}", ([],)),
            **handlers,
        }
        self.connection = open_dbus_connection(bus=address, enable_fds=True)
        Proxy(message_bus, self.connection).RequestName(NAME)
        self.lock = threading.Lock()
        self.stopping = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _open_report(self, fmt, options):
        fd = os.memfd_create("report")
        os.write(fd, self.report.encode())
        return "h", (fd,)

    def _open_capture(self, options):
        fd = os.memfd_create("capture")
        os.write(fd, self.archive)
        return "h", (fd,)

    def _run(self):
        while not self.stopping:
            try:
                message = self.connection.receive(timeout=0.1)
            except TimeoutError:
                continue
            except (OSError, EOFError):
                return
            if message.header.message_type == MessageType.method_call:
                self._answer(message)

    def _answer(self, message):
        member = message.header.fields[HeaderFields.member]
        self.paths.append(message.header.fields[HeaderFields.path])
        self.calls.append((member, message.body, int(message.header.flags)))
        try:
            signature, values = self.handlers[member](*message.body)
            reply = new_method_return(message, signature or None, values)
        except Refuse as refusal:
            reply = new_error(message, refusal.name, "s", (refusal.text,))
        except KeyError:
            reply = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", "s", (member,))
        self._send(reply)

    def _send(self, message):
        with self.lock:
            self.connection.send(message)

    def signal(self, path, interface, member, signature, *values):
        emitter = DBusAddress(path, interface=interface)
        self._send(new_signal(emitter, member, signature, values))

    def changed(self, **properties):
        """PropertiesChanged of the session; values as (signature, value)."""
        self.properties["Session"].update(properties)
        self.signal(PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                    f"{NAME}.Session", properties, [])

    def finished(self, state="done", verdict="pass"):
        self.properties["Session"].update(State=("s", state), Verdict=("s", verdict))
        self.signal(MANAGER, f"{NAME}.Manager", "SessionFinished", "soss", SID, PATH, state, verdict)

    def irq_event(self, **change):
        self.signal(MANAGER, f"{NAME}.Manager", "IrqEvent", "a{sv}", change)

    def called_on(self, member):
        """(object below /org/lrtbf1, arguments) of all such calls."""
        return [(path[len(MANAGER) + 1:], call[1]) for path, call in zip(self.paths, self.calls)
                if call[0] == member]

    def called(self, member):
        """Arguments of the last such call."""
        return [body for name, body, _ in self.calls if name == member][-1]

    def stop(self):
        self.stopping = True
        self.thread.join()
        self.connection.close()
