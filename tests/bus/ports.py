# SPDX-License-Identifier: GPL-2.0-or-later
"""Parallel ports that are not there: /sys, /proc and /dev in a folder, for daemons that run under
umockdev's preloaded library, which shows them that folder, and udev's events on its sockets there."""
import ctypes
import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path

from jeepney import new_error, new_method_return, new_signal, DBusAddress
from lrtbf import MANAGER, NAME, plain
from others import Service

PRELOAD = "libumockdev-preload.so.0"
PORT = NAME + ".Port"
OBJECTS = "org.freedesktop.DBus.ObjectManager"


def available():
    try:
        ctypes.CDLL(PRELOAD)
    except OSError:
        return False
    return True


def hash32(text):
    """MurmurHash2, by which libudev's filters know a subsystem."""
    data, m = text.encode(), 0x5bd1e995
    h = len(data)
    while len(data) >= 4:
        k = struct.unpack("<I", data[:4])[0] * m & 0xffffffff
        k = (k ^ k >> 24) * m & 0xffffffff
        h = h * m & 0xffffffff ^ k
        data = data[4:]
    if data:
        h = (h ^ int.from_bytes(data, "little")) * m & 0xffffffff
    h = (h ^ h >> 13) * m & 0xffffffff
    return h ^ h >> 15


def udev_message(**properties):
    """As udevd sends it to those who listen."""
    body = b"".join(f"{k}={v}".encode() + b"\0" for k, v in properties.items())
    head = struct.pack("=8sIIII", b"libudev\0", socket.htonl(0xfeedcafe), 40, 40, len(body))
    return head + struct.pack("!IIII", hash32(properties.get("SUBSYSTEM", "")),
                              hash32(properties["DEVTYPE"]) if "DEVTYPE" in properties else 0, 0, 0) + body


class Bed:
    """A machine of ports. Files appear and vanish at once, events are sent by event()."""

    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="lrtbf-bed-"))
        self.root.chmod(0o755)
        self.sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sender.settimeout(20)
        self.number = 0
        # what else a session looks for is this machine's
        for path in ("sys/devices/system", "sys/kernel"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).symlink_to(f"/{path}")

    def env(self):
        return {"LD_PRELOAD": PRELOAD, "UMOCKDEV_DIR": str(self.root)}

    def close(self):
        self.sender.close()
        shutil.rmtree(self.root)

    def send(self, message):
        for path in self.root.glob("event*"):
            self.sender.sendto(message, str(path))

    def event(self, action, *paths, times=1):
        for _ in range(times):
            for path in paths:
                folder = self.root / path.lstrip("/")
                self.number += 1
                properties = dict(line.split("=", 1) for line in (folder / "uevent").read_text().split())
                subsystem = os.readlink(folder / "subsystem").rsplit("/", 1)[1]
                self.send(udev_message(ACTION=action, DEVPATH=path.removeprefix("/sys"), SUBSYSTEM=subsystem,
                                       SEQNUM=self.number, **properties))

    # --- files ---

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def link(self, path, target):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(self.root / target, path.parent))

    def device(self, path, uevent, *group):
        """A device of sysfs with its two links; @group: "bus/parport/devices", "class/ppdev"."""
        name = path.rsplit("/", 1)[1]
        self.write(f"sys/{path}/uevent", uevent)
        for folder in group:
            (self.root / "sys" / folder).mkdir(parents=True, exist_ok=True)
            self.link(f"sys/{path}/subsystem", f"sys/{folder.removesuffix('/devices')}")
            self.link(f"sys/{folder}/{name}", f"sys/{path}")
        return f"/sys/{path}"

    def drop(self, path, *group):
        for folder in group:
            (self.root / "sys" / folder / path.rsplit("/", 1)[1]).unlink()
        shutil.rmtree(self.root / "sys" / path)

    # --- ports ---

    def plug(self, name="parport0", irq="7", base=0x378, device="pnp0/00:04", driver="parport_pc"):
        """The port and ppdev's device of it; no event. Returns their paths for event()."""
        on = self.root / "sys/devices" / device
        if not on.exists():
            self.write(f"sys/devices/{device}/uevent", "")
            self.link(f"sys/devices/{device}/driver", f"sys/bus/pnp/drivers/{driver}")
        self.write(f"proc/sys/dev/parport/{name}/base-addr", f"{base}\t0\n")
        self.write(f"proc/sys/dev/parport/{name}/irq", f"{irq}\n")
        self.hold(name, "none")
        number = name.removeprefix("parport")
        return (self.device(f"devices/{name}", "DEVTYPE=parport\n", "bus/parport/devices"),
                self.device(f"devices/{device}/ppdev/{name}",
                            f"MAJOR=99\nMINOR={number}\nDEVNAME=parport{number}\n", "class/ppdev"))

    def pull(self, name="parport0", device="pnp0/00:04", send=True):
        if send:
            self.event("remove", f"/sys/devices/{name}", f"/sys/devices/{device}/ppdev/{name}")
        self.drop(f"devices/{device}/ppdev/{name}", "class/ppdev")
        self.drop(f"devices/{name}", "bus/parport/devices")
        shutil.rmtree(self.root / "proc/sys/dev/parport" / name)

    def hold(self, name, holder):
        self.write(f"proc/sys/dev/parport/{name}/devices/active", f"{holder}\n")

    def module(self, *names):
        """lrtbf.ko is there, with these ports; no event. Returns their paths."""
        paths = []
        for name in ("lrtbf", *(f"lrtbf-{n}" for n in names)):
            if not (self.root / "sys/class/misc" / name).exists():
                paths.append(self.device(f"devices/virtual/misc/{name}",
                                         f"MAJOR=10\nMINOR=120\nDEVNAME={name}\n", "class/misc"))
        return paths

    def unload(self, *names):
        for name in ("lrtbf", *(f"lrtbf-{n}" for n in names)):
            self.event("remove", f"/sys/devices/virtual/misc/{name}")
            self.drop(f"devices/virtual/misc/{name}", "class/misc")


class Systemd(Service):
    """PID 1, as far as it starts modprobe@lrtbf.service: @load() is called, and what it returns is the
    job's result; "refuse" and "hold" (no answer at all)."""
    name = "org.freedesktop.systemd1"

    def __init__(self, bus, load):
        self.load = load
        super().__init__(bus)

    def answer(self, message, member, body):
        if member != "StartUnit":
            return new_method_return(message)
        result = self.load()
        if result == "hold":
            return None
        if result == "refuse":
            return new_error(message, "org.freedesktop.DBus.Error.AccessDenied", "s", ("no",))
        job = "/org/freedesktop/systemd1/job/42"
        self.raw.send(new_method_return(message, "o", (job,)))
        manager = DBusAddress("/org/freedesktop/systemd1", interface="org.freedesktop.systemd1.Manager")
        return new_signal(manager, "JobRemoved", "uoss", (42, job, body[0], result))


def port_path(name):
    return f"{MANAGER}/port/{name}"


def ports(caller):
    """{name: properties} of all that are listed."""
    objects = caller.call(MANAGER, OBJECTS, "GetManagedObjects")
    return {p.rsplit("/", 1)[1]: plain(i[PORT]) for p, i in objects.items() if PORT in i}


def state(caller, name="parport0"):
    return ports(caller).get(name, {}).get("State")


