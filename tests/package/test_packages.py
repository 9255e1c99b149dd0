# SPDX-License-Identifier: GPL-2.0-or-later
"""What dpkg-buildpackage makes of this checkout, before anybody boots it (tests/systemd does)."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HEADERS = sorted(p.parent.name for p in Path("/lib/modules").glob("*/build") if p.exists())


def run(*words, **kwargs):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, **kwargs)
    assert done.returncode == 0, f"{words[0]}: {done.stdout}{done.stderr}"
    return done.stdout


def deb(debs, name):
    return next(debs.glob(f"{name}_*.deb"))


def test_built_without_a_warning(debs):
    text = (debs / "build.log").read_text()
    assert [line for line in text.splitlines() if re.search(r"\bwarning: ", line, re.I)] == []


def test_lintian(debs):
    """No error and no warning, of sources and binaries; what is overridden says why."""
    lintian = shutil.which("lintian")
    if not lintian:
        pytest.skip("lintian is not installed")
    out = run(lintian, "--allow-root", "--fail-on=error,warning", "--no-tag-display-limit", next(debs.glob("*.changes")))
    assert not re.search("^[EW]: ", out, re.M), out


def test_overrides_have_reasons():
    for path in (Path(__file__).parents[2] / "debian").rglob("*lintian-overrides"):
        lines = path.read_text().splitlines()
        for before, line in zip([""] + lines, lines):
            assert line.startswith("#") or before.startswith("#"), f"{path}: {line}"


def test_version_is_the_program_s(debs):
    """And the module's, or DKMS would not build what is new in it."""
    meson = (Path(__file__).parents[2] / "meson.build").read_text()
    version = re.search(r"version: '([^']+)'", meson)[1]
    for name in ("lrtbfd", "lrtbf-dkms"):
        assert run("dpkg-deb", "-f", deb(debs, name), "Version").strip() == version
    conf = run("sh", "-c", f"dpkg-deb --fsys-tarfile {deb(debs, 'lrtbf-dkms')} | tar -xO ./usr/src/lrtbf-{version}/dkms.conf")
    assert f'PACKAGE_VERSION="{version}"' in conf


@pytest.mark.parametrize("name", ["lrtbfd", "lrtbf-dkms"])
def test_modes(debs, name):
    """Nothing that group or others may write, nothing that lends rights, all of it root's."""
    for line in run("dpkg-deb", "-c", deb(debs, name)).splitlines():
        mode, owner, *_, path = line.split()
        assert owner == "root/root" or owner == "root/0", line
        assert re.fullmatch(r"[-d]r[w-][x-]r-[x-]r-[x-]", mode), line


def test_everything_is_there(debs):
    """One of each kind: what another package's hook, or a user, looks for by its place."""
    paths = {line.split()[-1].lstrip(".") for line in run("dpkg-deb", "-c", deb(debs, "lrtbfd")).splitlines()}
    missing = {
        "/usr/sbin/lrtbfd", "/usr/bin/lrtbfctl", "/usr/bin/lrtbf-measure", "/usr/libexec/lrtbfd/lrtbf-load",
        "/lib/systemd/system/lrtbfd.service", "/lib/systemd/system/lrtbf-session@.service",
        "/lib/systemd/system-generators/lrtbf-generator", "/lib/udev/rules.d/60-lrtbf.rules",
        "/usr/lib/sysusers.d/lrtbf.conf", "/usr/lib/tmpfiles.d/lrtbf.conf", "/usr/lib/systemd/catalog/lrtbfd.catalog",
        "/usr/share/dbus-1/system.d/org.lrtbf1.conf", "/usr/share/dbus-1/system-services/org.lrtbf1.service",
        "/usr/share/dbus-1/interfaces/org.lrtbf1.Manager.xml", "/usr/share/polkit-1/actions/org.lrtbf1.policy",
        "/usr/share/polkit-1/rules.d/60-lrtbf-measure.rules", "/usr/share/bash-completion/completions/lrtbfctl",
        "/usr/share/man/man1/lrtbfctl.1.gz", "/usr/share/man/man8/lrtbfd.8.gz", "/usr/lib/lrtbfd/plans.d/quick.conf",
    } - paths
    assert missing == set()
    # settings of an administrator are his: none is shipped
    assert not [p for p in paths if p.startswith("/etc")]


def test_dependencies(debs):
    fields = {f: run("dpkg-deb", "-f", deb(debs, "lrtbfd"), f).strip() for f in ("Depends", "Recommends", "Suggests")}
    assert {"rt-tests", "stress-ng", "iputils-ping"} <= set(fields["Recommends"].split(", "))
    assert "dbus-system-bus" in fields["Depends"] and "lrtbf-dkms" in fields["Suggests"]
    assert "lrtbfd" in run("dpkg-deb", "-f", deb(debs, "lrtbf-dkms"), "Recommends")


@pytest.mark.skipif(not HEADERS, reason="no kernel's headers are installed")
@pytest.mark.skipif(not shutil.which("dkms"), reason="dkms is not installed")
def test_dkms(debs, machine, tmp_path):
    """The module is built and installed for each kernel whose headers are here, and goes with its package."""
    shutil.copy(deb(debs, "lrtbf-dkms"), tmp_path / "dkms.deb")
    kernels = " ".join(HEADERS)
    done = machine(f"""dpkg -i {tmp_path}/dkms.deb
        version=$(dpkg-query -W -f='${{Version}}' lrtbf-dkms)
        for kernel in {kernels}; do dkms install -m lrtbf -v $version -k $kernel; done
        dkms status
        for kernel in {kernels}; do modinfo -k $kernel -F vermagic lrtbf; modinfo -k $kernel -n lrtbf-wire; done""")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    for kernel in HEADERS:
        assert re.search(rf"^lrtbf/\S+, {re.escape(kernel)}, \S+: installed", done.stdout, re.M), done.stdout
        assert re.search(rf"^{re.escape(kernel)} SMP", done.stdout, re.M), done.stdout
        assert f"/lib/modules/{kernel}/updates/dkms/lrtbf-wire.ko" in done.stdout
    done = machine("""dpkg -r lrtbf-dkms >&2; dkms status
        find /lib/modules /var/lib/dkms /usr/src -name 'lrtbf*'""")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
