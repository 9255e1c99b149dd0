# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of lrtbf-wire.ko use: its files, and the ports through ppdev and through lrtbf.ko."""
import fcntl
import os
import struct
import time
from pathlib import Path

from until import wait_until

DEVICES = [Path(f"/sys/devices/platform/lrtbf-wire.{n}") for n in (0, 1)]
DRIVER = Path("/sys/bus/platform/drivers/lrtbf-wire")
DEBUGFS = Path("/sys/kernel/debug/lrtbf-wire")


def ioc(direction, kind, number, size):
    return direction << 30 | size << 16 | ord(kind) << 8 | number


class Edge:
    """A line of `edges`."""

    def __init__(self, line):
        *numbers, flags = line.split()
        self.number, self.at, self.due, self.seen, self.raised, self.handled = map(int, numbers)
        self.flags = set() if flags == "-" else set(flags.split(","))

    def __repr__(self):
        return str(vars(self))


class Port:
    """One end of the wire."""

    def __init__(self, number):
        self.number, self.device = number, DEVICES[number]

    @property
    def name(self):
        return (self.device / "port").read_text().strip()

    @property
    def irq(self):
        return int((self.device / "irq").read_text())

    def set(self, **settings):
        for name, value in settings.items():
            (self.device / name).write_text(str(value))

    def edges(self):
        """What was sent to it."""
        return [Edge(line) for line in (DEBUGFS / str(self.number) / "edges").read_text().splitlines()]

    def counters(self):
        text = (DEBUGFS / str(self.number) / "counters").read_text()
        return {name: int(value) for name, value in map(str.split, text.splitlines())}

    def clear(self):
        (DEBUGFS / str(self.number) / "edges").write_text("0")

    def unplug(self):
        (DRIVER / "unbind").write_text(self.device.name)

    def plug(self):
        (DRIVER / "bind").write_text(self.device.name)

    def quiet(self):
        """All that was raised has been handled."""
        def done():
            return all(e.handled or e.flags & {"dropped", "masked", "overflow"} for e in self.edges())
        wait_until(done, f"{self.edges()[-3:]}")


class Ppdev:
    """A port through ppdev, claimed; its interrupt is enabled then."""
    CLAIM, CONTROL, WRITE = ioc(0, "p", 0x8b, 0), ioc(1, "p", 0x84, 1), ioc(1, "p", 0x86, 1)
    STATUS, INTERRUPTS = ioc(2, "p", 0x81, 1), ioc(2, "p", 0x93, 4)

    def __init__(self, port):
        path = Path("/dev", port.name)
        wait_until(path.exists, f"no {path}")
        self.fd = os.open(path, os.O_RDWR)
        fcntl.ioctl(self.fd, self.CLAIM)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def data(self, value):
        fcntl.ioctl(self.fd, self.WRITE, bytes([value]))

    def control(self, value):
        fcntl.ioctl(self.fd, self.CONTROL, bytes([value]))

    def status(self):
        """The five inputs."""
        return fcntl.ioctl(self.fd, self.STATUS, b"\0")[0] & 0xf8

    def interrupts(self):
        """Since it was asked last, when there have been none for a moment: the wire's handler comes
        before ppdev's."""
        count, new = 0, 1
        while new:
            time.sleep(0.02)
            new = struct.unpack("i", fcntl.ioctl(self.fd, self.INTERRUPTS, bytes(4)))[0]
            count += new
        return count

    def pulse(self):
        self.data(0x08)
        self.data(0x00)


class Record:
    def __init__(self, fields):
        self.seq, self.at, self.latency, self.flags, self.cpu = fields


class Lrtbf:
    """A port's device of lrtbf.ko, running."""
    SETUP = ("IIIIQQQIiIIIIII", "size role answer receive period_ns timeout_ns count priority cpu losses_max "
             "rate_max off_share_max flags watermark reserved".split())
    COUNTERS = ("IIIIiIiI15Q", "size running stop context thread priority worker resolution_ns pulses answers samples "
                "lost late discarded strays interrupts missed lost_records off_ns off_max_ns".split())
    CAPS = "IIIiQQII32s"
    RECORD = "QQQII"

    def __init__(self, port, **setup):
        path = Path(f"/dev/lrtbf-{port.name}")
        wait_until(path.exists, f"no {path}")
        layout, names = self.SETUP
        values = {"size": struct.calcsize(layout), "cpu": -1, **setup}
        self.fd = os.open(path, os.O_RDWR)
        fcntl.ioctl(self.fd, ioc(1, "L", 0xb1, values["size"]),
                    struct.pack(layout, *[values.get(name, 0) for name in names]))
        fcntl.ioctl(self.fd, ioc(0, "L", 0xb2, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def records(self):
        """All, to its end."""
        found = []
        while data := os.read(self.fd, 4096 * struct.calcsize(self.RECORD)):
            found += map(Record, struct.iter_unpack(self.RECORD, data))
        return found

    def ask(self, number, layout):
        data = bytearray(struct.calcsize(layout))
        struct.pack_into("I", data, 0, len(data))
        fcntl.ioctl(self.fd, ioc(3, "L", number, len(data)), data)
        return struct.unpack(layout, data)

    def counters(self):
        layout, names = self.COUNTERS
        return dict(zip(names, self.ask(0xb4, layout)))

    def access_ns(self):
        return self.ask(0xb0, self.CAPS)[5]
