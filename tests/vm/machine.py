# SPDX-License-Identifier: GPL-2.0-or-later
"""One virtual machine of the lab, from its folder to its command's exit status. See `run` and `pair`."""
import argparse
import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import initramfs
import kernel

MEMORY = "1G"
CONSOLE = "console=ttyS0 quiet loglevel=4 panic=-1 rdinit=/init"
# Emulated CPUs have no leaks to mitigate and no clocks that differ.
QUICK = "mitigations=off tsc=reliable audit=0 random.trust_cpu=on"
# two interfaces that reach nothing: e1000e asks for its interrupts when it is brought up
NOBODY = "user,id=n{},restrict=on"

OUT_OF_TIME, FAILED, DIED = 124, 125, 126


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def take(count):
    """@count of the places, of which each CPU has one, each a locked file; None when too few are free."""
    taken = []
    for number in range(os.cpu_count()):
        file = open(kernel.CACHE / f"cpu{number}", "w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        taken.append(file)
        if len(taken) == count:
            return taken
    release(taken)
    return None


def release(taken):
    for file in taken:
        file.close()


@contextmanager
def turn(machines):
    """As many @machines at a time as there are CPUs: with two virtual CPUs one keeps three quarters of a real
    one busy and waits else. Others wait until it is their turn."""
    with open(kernel.CACHE / "running", "w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        while not (taken := take(min(machines, os.cpu_count()))):
            time.sleep(0.1)
    try:
        yield
    finally:
        release(taken)


class Machine:
    """@port, @network: QEMU's back ends; None: a file, and nobody."""

    def __init__(self, kind, folder, command, *, append="", cpus=2, by_instructions=False, port=None,
                 network=None, mac="52:54:00:12:34:56", extra=(), **popen):
        self.folder = Path(folder).resolve()
        self.lab = self.folder / ".lab"
        self.port = port or f"file,path={self.folder}/port.out"
        self.network = network or NOBODY.format(0)
        self.mac = mac
        image = kernel.kernel(kind)
        self.prepare(command, image)
        self.cpus = 1 if by_instructions else cpus
        time_passes = (["-accel", "tcg,thread=single", "-icount", "shift=3,sleep=off"] if by_instructions
                       else ["-accel", "tcg,thread=multi"])
        self.command = [
            "qemu-system-x86_64", *self.devices(), *time_passes, "-smp", str(self.cpus), *extra,
            "-kernel", str(image / "vmlinux"), "-initrd", str(self.lab / "initramfs"),
            "-append", f"{CONSOLE} {QUICK} {append}"]
        self.popen = {"stdin": subprocess.DEVNULL, **popen}
        self.process = None

    def prepare(self, command, image):
        """FOLDER/.lab: the command, and what comes back."""
        shutil.rmtree(self.lab, ignore_errors=True)
        self.lab.mkdir()
        (self.lab / "command").write_text(command)
        (self.lab / "output").touch()
        (self.lab / "initramfs").write_bytes(initramfs.build(image, kernel.udev()))

    def devices(self):
        """What the guest is made of."""
        share = "security_model=none,multidevs=remap"
        return [
            "-M", "q35", "-cpu", "max", "-m", MEMORY,
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{self.folder}/console.log",
            "-fsdev", f"local,id=root,path=/,readonly=on,{share}",
            "-device", "virtio-9p-pci,fsdev=root,mount_tag=root",
            "-fsdev", f"local,id=job,path={self.folder},{share}",
            "-device", "virtio-9p-pci,fsdev=job,mount_tag=job",
            # parport0, irq 7: its STROBE line raises its own interrupt
            "-chardev", f"{self.port},id=port", "-device", "isa-parallel,chardev=port,iobase=0x378,irq=7",
            "-netdev", self.network, "-device", f"virtio-net-pci,netdev=n0,mac={self.mac},romfile=",
            "-netdev", NOBODY.format(1), "-device", "e1000e,netdev=n1,romfile=",
            # two queues, whose interrupts' affinity the kernel manages
            "-blockdev", "null-co,node-name=d0,size=67108864",
            "-device", "virtio-blk-pci,drive=d0,num-queues=2",
            "-device", "virtio-rng-pci",
        ]

    def start(self):
        self.process = subprocess.Popen(self.command, preexec_fn=end_with_parent, **self.popen)

    def ended(self):
        return self.process.poll() is not None

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def follow(self, seconds):
        """Print what the command prints until the machine has ended. False: out of time."""
        end = time.monotonic() + seconds
        with open(self.lab / "output", "rb") as file:
            while True:
                ended = self.ended()
                sys.stdout.buffer.write(file.read())
                sys.stdout.flush()
                if ended or time.monotonic() > end:
                    return ended
                time.sleep(0.05)

    def status(self, in_time, seconds):
        """What `run` exits with; says why when it is not the command's."""
        if not in_time:
            print(f"lab: out of time after {seconds:g} s; see {self.folder}/console.log", file=sys.stderr)
            return OUT_OF_TIME
        try:
            return int((self.lab / "status").read_text())
        except (OSError, ValueError):
            print(f"lab: the guest died; see {self.folder}/console.log", file=sys.stderr)
            return DIED


def main(usage, boot, **options):
    """The exit status of a program that is told what to boot(); @options: further ones, name and argparse's words."""
    parser = argparse.ArgumentParser(usage=usage, add_help=False)
    parser.add_argument("-a", dest="append", default="")
    parser.add_argument("-t", dest="time", type=float, default=300)
    for name, words in options.items():
        parser.add_argument(f"-{name}", **words)
    parser.add_argument("kind", choices=kernel.PACKAGES)
    parser.add_argument("folder")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.command:
        parser.error("no command")
    try:
        return boot(args)
    except kernel.LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return FAILED
