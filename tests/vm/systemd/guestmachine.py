# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine with a disk of its own and systemd as its process 1, driven from here.

Unlike that of `run`, its root is nobody else's, and it is there again after a reboot or after its
power was cut. Commands go to an agent in the guest (guest/agent) over a port that needs no network.

Cutting the power is killing QEMU: what the guest had in memory is gone, and what it had written to the
disk is there, in the order and at the time of its writing, flushed or not. A real disk may lose what
was not flushed; that is not tested by this.
"""
import base64
import datetime
import json
import os
import select
import shlex
import subprocess
import time
from pathlib import Path

import image
from machine import MEMORY, QUICK, end_with_parent

BOOT_SECONDS = 180
COMMAND_SECONDS = 120


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.3)


class PowerOff(Exception):
    """The machine is off, and was not expected to be."""


class Done:
    """Of a command: status, stdout, stderr."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def __repr__(self):
        return f"status {self.status}: {self.stdout!r} {self.stderr!r}"


class GuestMachine:
    def __init__(self, folder, kind, deb, modules):
        self.folder = Path(folder)
        self.disk = self.folder / "disk.img"
        self.kernel = image.disk(kind, deb, modules, self.disk)
        self.initramfs = self.folder / "initramfs"
        self.initramfs.write_bytes(image.initramfs(self.kernel))
        self.process = None
        self.number = self.boots = 0
        self.boot_id = ""

    def command(self, clock):
        console = self.folder / f"console{self.boots}.log"
        return [
            "qemu-system-x86_64", "-M", "q35", "-cpu", "max", "-m", MEMORY,
            "-accel", "tcg,thread=multi", "-smp", "2", "-rtc", f"base={clock}",
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", f"file:{console}",
            "-blockdev", f"driver=raw,node-name=disk,file.driver=file,file.filename={self.disk}",
            "-device", "virtio-blk-pci,drive=disk", "-device", "virtio-rng-pci",
            "-chardev", f"file,path={self.folder}/port.out,id=port",
            "-device", "isa-parallel,chardev=port,iobase=0x378,irq=7",
            "-device", "virtio-serial-pci", "-chardev", "stdio,id=agent,signal=off",
            "-device", "virtserialport,chardev=agent,nr=1,name=agent",
            "-kernel", self.kernel / "vmlinux", "-initrd", self.initramfs,
            "-append", f"console=ttyS0 quiet loglevel=4 panic=-1 rdinit=/init systemd.show_status=0 {QUICK}"]

    def boot(self, days=0):
        """Until the agent answers. The machine's clock is @days fast."""
        self.off()
        self.boots += 1
        clock = (datetime.datetime.utcnow() + datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S")
        self.process = subprocess.Popen([str(w) for w in self.command(clock)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, preexec_fn=end_with_parent)
        self.heard = b""
        word, self.boot_id, _uptime = self.line(BOOT_SECONDS).split()
        assert word == "ready"
        assert self.run("systemctl is-system-running --wait").stdout == "running\n", self.sh("systemctl --failed")

    def line(self, seconds):
        end = time.monotonic() + seconds
        while b"\n" not in self.heard:
            output = self.process.stdout
            if not select.select([output], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"the guest has said nothing for {seconds} s; see {self.folder}")
            more = os.read(output.fileno(), 65536)
            if not more:
                raise PowerOff(f"the guest is off; see {self.folder}")
            self.heard += more
        line, self.heard = self.heard.split(b"\n", 1)
        return line.decode()

    def on(self):
        return self.process is not None and self.process.poll() is None

    def off(self):
        """The power is cut, if it is not off already."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def reboot(self, days=0):
        """In order, with the clock @days fast afterwards."""
        self.say("systemctl --no-block reboot")
        self.process.wait(COMMAND_SECONDS)
        self.boot(days)

    # --- commands ---

    def say(self, script):
        self.number += 1
        self.process.stdin.write(f"{self.number} {base64.b64encode(script.encode()).decode()}\n".encode())
        self.process.stdin.flush()

    def run(self, script, seconds=COMMAND_SECONDS):
        """@script by bash, as root."""
        self.say(script)
        while True:
            number, status, out, err = self.line(seconds).split()
            if int(number) == self.number:
                return Done(int(status), *(base64.b64decode(x[1:]).decode(errors="replace") for x in (out, err)))

    def sh(self, script, status=0):
        """What @script printed; it must end with @status."""
        done = self.run(script)
        assert done.status == status, (script, done)
        return done.stdout

    def write(self, path, text):
        """A file that is there after a power cut, too."""
        encoded = base64.b64encode(text.encode()).decode()
        self.sh(f"mkdir -p $(dirname {path}) && base64 -d >{path} <<<'{encoded}' && sync {path} $(dirname {path})")

    def wait(self, script, seconds=60):
        """Until @script succeeds, which is tried in the guest; what it printed."""
        done = self.run(f"end=$((SECONDS + {seconds})); f() {{ {script}\n}}; "
                        "until f; do [ $SECONDS -lt $end ] || exit 1; sleep 0.2; done", seconds + COMMAND_SECONDS)
        assert done.status == 0, (script, done, self.journal())
        return done.stdout

    def journal(self):
        return self.run("journalctl -q -b --no-pager -o short-monotonic -n 40").stdout

    # --- lrtbfd ---

    def ctl(self, *words, status=0):
        return self.sh(shlex.join(["lrtbfctl", *words]), status)

    def json(self, *words):
        return json.loads(self.ctl("--json", *words))

    def plan(self, name, text):
        self.write(f"/etc/lrtbfd/plans.d/{name}.conf", text)
        self.ctl("reload")

    def start(self, *words, state="running"):
        """A session of a plan; its id, once it is in @state."""
        sid = self.ctl("session", "start", *words).strip()
        self.wait_state(sid, state)
        return sid

    def session(self, sid):
        return self.json("session", "show", sid)

    def report(self, sid):
        return json.loads(self.ctl("session", "report", sid, "--format=json"))

    def wait_state(self, sid, state, seconds=60):
        self.wait(f"""lrtbfctl --json session show {sid} | grep -Eq '"state": *"{state}"'""", seconds)

    def wait_count(self, sid, at_least):
        """Until that many samples have been seen."""
        until(lambda: (self.session(sid)["figures"].get("count") or 0) >= at_least)

    def main_pid(self):
        return int(self.sh("systemctl show -P MainPID lrtbfd"))

    def thread(self, name):
        """(policy, priority) of the kernel thread of that name, by chrt."""
        out = self.sh(f"chrt -p $(pgrep -x '{name}')")
        words = [line.split(":")[1].strip() for line in out.splitlines()[:2]]
        return words[0].replace("SCHED_", "").lower(), int(words[1])
