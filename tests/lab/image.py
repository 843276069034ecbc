# SPDX-License-Identifier: BSD-2-Clause
"""The guests' kernel and initramfs, made from installed Debian packages and kept by a hash of
what went in."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
CACHE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "lab")

PACKAGES = (
    "qemu-system-x86 linux-image-amd64 busybox-static kmod xz-utils binutils iproute2 rdma-core"
    " ibverbs-utils rdmacm-utils perftest gcc libc6-dev libibverbs-dev librdmacm-dev util-linux"
).split()
PACKAGES_SIW = "linux-headers-amd64 linux-source-6.1 make".split()

# What a guest can run; libraries come with them.
TOOLS = (
    "bash ip tc rdma ibv_devinfo ibv_devices ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong"
    " ibv_srq_pingpong rping ucmatose udaddy cmtime mckey rstream rdma_server rdma_client udpong"
    " ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw"
    " ib_atomic_lat"
).split()
# Loaded by name with what they need; see load() in guest.sh.
MODULES = (
    "virtio_pci virtio_net 9pnet_virtio 9p crc32_generic crc32c_generic libcrc32c rdma_rxe rdma_ucm"
    " ib_umad ib_uverbs sch_netem sch_ingress cls_u32 act_gact 8021q"
).split()
# pthread_exit opens it at run time; libibverbs opens its drivers.
OPENED = ("libgcc_s.so.1", "libibverbs/librxe-rdmav*.so")
OURS = ("init", "guest.sh", "cmpeer.c", "umadpeer.c")
APPLETS = (
    "mount umount cat sleep mkdir ls grep sed cp mv rm touch kill dmesg poweroff insmod rmmod lsmod"
    " uname date head tail wc tr ps sync sort uniq seq true false ln env sh awk tee test cut timeout"
    " basename dirname echo printf mknod chmod hostname find xargs usleep"
).split()


class Missing(Exception):
    """Something of Debian is not installed."""


def which(name):
    path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if not path:
        raise Missing(f"{name} is not installed; ./dev lab installs what the lab needs")
    return path


def kernel():
    """The newest installed Debian kernel: its version; it need not be the running one."""
    found = [path.rsplit("vmlinuz-", 1)[1] for path in glob.glob("/boot/vmlinuz-*-amd64")]
    if not found:
        raise Missing("there is no kernel in /boot; the package is linux-image-amd64")
    return max(found, key=lambda version: [int(n) for n in re.findall(r"\d+", version)])


def run(*command, **kwargs):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)
    if done.returncode:
        raise Missing(f"{' '.join(command)} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def libraries(path):
    """(name the program asks for, file) of each library of a program or library."""
    for line in run("ldd", path).splitlines():
        found = re.match(r"\s*(?:(\S+) => )?(/\S+) \(", line)
        if found:
            yield found.group(2)


class Cpio:
    """A newc archive, owners and times left out: the same files give the same bytes."""

    def __init__(self):
        self.parts, self.seen, self.ino = [], set(), 0

    def add(self, name, mode, body=b"", dev=(0, 0)):
        name = name.lstrip("/")
        if name in self.seen:
            return
        self.seen.add(name)
        self.ino += 1
        raw = name.encode() + b"\0"
        fields = (self.ino, mode, 0, 0, 1, 0, len(body), 0, 0, *dev, len(raw), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + raw
        self.parts += [head, b"\0" * (-len(head) % 4), body, b"\0" * (-len(body) % 4)]

    def folder(self, name):
        parts = name.strip("/").split("/")
        for i in range(len(parts)):
            self.add("/".join(parts[: i + 1]), 0o40755)

    def link(self, name, target):
        self.folder(os.path.dirname(name))
        self.add(name, 0o120777, target.encode())

    def file(self, name, source, mode=0o100755):
        self.folder(os.path.dirname(name))
        with open(source, "rb") as file:
            self.add(name, mode, file.read())

    def text(self, name, text, mode=0o100644):
        self.folder(os.path.dirname(name))
        self.add(name, mode, text.encode())

    def bytes(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def with_libraries(cpio, name, source):
    cpio.file(name, source)
    for library in libraries(source):
        cpio.file(library, os.path.realpath(library))


def library(pattern):
    found = glob.glob(f"/usr/lib/x86_64-linux-gnu/{pattern}") or glob.glob(f"/lib/x86_64-linux-gnu/{pattern}")
    if not found:
        raise Missing(f"there is no {pattern}; the packages are: {' '.join(PACKAGES)}")
    return found[0]


def modules(version, names):
    """The files of modules in the order to load them, for each name."""
    table = {}
    for name in names:
        lines = run(which("modprobe"), "-S", version, "--show-depends", "--ignore-install", name).splitlines()
        table[name] = [line.split()[1] for line in lines if line.startswith("insmod")]
    return table


def compile_ours(folder):
    """cmpeer and umadpeer, for the guests."""
    flags = "-std=c17 -O2 -g0 -Wall -Wextra -Werror".split()
    for name, libs in (("cmpeer", ["-lrdmacm", "-libverbs"]), ("umadpeer", [])):
        run(which("gcc"), *flags, "-o", os.path.join(folder, name), os.path.join(HERE, name + ".c"), *libs)


def base_archive(version, folder):
    cpio = Cpio()
    for name in "dev proc sys tmp run lab etc usr/bin usr/sbin bin".split():
        cpio.folder(name)
    cpio.add("dev/console", 0o20600, dev=(5, 1))
    cpio.file("usr/bin/busybox", which("busybox"))
    for name in TOOLS:
        with_libraries(cpio, f"usr/bin/{name}", which(name))
    for name in APPLETS:
        cpio.link(f"usr/bin/{name}", "busybox")
    for pattern in OPENED:
        path = library(pattern)
        with_libraries(cpio, path.replace("/lib/x86", "/usr/lib/x86", 1) if path.startswith("/lib") else path, path)
    # ld.so looks there for what no program is linked with
    cpio.file("usr/lib/x86_64-linux-gnu/libgcc_s.so.1", library("libgcc_s.so.1"))
    cpio.file("etc/libibverbs.d/rxe.driver", "/etc/libibverbs.d/rxe.driver", 0o100644)
    cpio.text("etc/passwd", "root:x:0:0:root:/:/usr/bin/bash\n")
    cpio.text("etc/hosts", "127.0.0.1 localhost\n10.0.0.1 server\n10.0.0.2 client\n")
    compile_ours(folder)
    with_libraries(cpio, "usr/bin/cmpeer", os.path.join(folder, "cmpeer"))
    with_libraries(cpio, "usr/bin/umadpeer", os.path.join(folder, "umadpeer"))
    add_modules(cpio, modules(version, MODULES))
    cpio.file("init", os.path.join(HERE, "init"))
    cpio.file("guest.sh", os.path.join(HERE, "guest.sh"), 0o100644)
    return cpio.bytes()


def add_modules(cpio, table):
    for name, files in table.items():
        for path in files:
            cpio.file("modules/" + os.path.basename(path), path, 0o100644)
        cpio.text(f"modules/{name}.list", "".join(os.path.basename(path) + "\n" for path in files))


def siw_module(version, folder):
    """siw.ko built out of tree: Debian's kernel leaves it out."""
    build = f"/lib/modules/{version}/build"
    source = sorted(glob.glob("/usr/src/linux-source-*.tar.xz"))
    if not os.path.isdir(build) or not source:
        raise Missing(
            f"siw needs the headers of {version} and the kernel's source: packages {' '.join(PACKAGES_SIW)}"
        )
    with open(f"/boot/config-{version}", encoding="ascii") as file:
        want = re.search(r"Linux/\S+ (\d+\.\d+)", file.read()).group(1)
    source = [path for path in source if f"linux-source-{want}." in path] or source
    run("tar", "-C", folder, "--strip-components=1", "--wildcards", "-xJf", source[-1], "*/drivers/infiniband/sw/siw/*")
    siw = os.path.join(folder, "drivers/infiniband/sw/siw")
    run(which("make"), "-C", build, f"M={siw}", "CONFIG_RDMA_SIW=m", "modules")
    run(which("strip"), "-g", os.path.join(siw, "siw.ko"))
    return os.path.join(siw, "siw.ko")


def siw_archive(version, folder):
    cpio = Cpio()
    path = library("libibverbs/libsiw-rdmav*.so")
    with_libraries(cpio, path, path)
    cpio.file("etc/libibverbs.d/siw.driver", "/etc/libibverbs.d/siw.driver", 0o100644)
    ko = siw_module(version, folder)
    table = modules(version, ["rdma_ucm", "ib_uverbs", "crc32c_generic", "libcrc32c"])
    # modprobe knows nothing of it: ib_core, rdma_cm and what they need come first
    files = list(dict.fromkeys(path for name in table for path in table[name]))
    for path in files:
        cpio.file("modules/" + os.path.basename(path), path, 0o100644)
    cpio.file("modules/siw.ko", ko, 0o100644)
    cpio.text("modules/siw.list", "".join(os.path.basename(path) + "\n" for path in [*files, ko]))
    return cpio.bytes()


def vmlinux(version, folder):
    """The kernel without its wrapping: unpacking it inside a guest costs seconds under TCG."""
    with open(f"/boot/vmlinuz-{version}", "rb") as file:
        image = file.read()
    at = image.find(b"\xfd7zXZ\0")
    path = os.path.join(folder, "vmlinux")
    if at < 0:
        shutil.copyfile(f"/boot/vmlinuz-{version}", path)
        return path
    # what follows the stream is not of it: xz says so and has written all the same
    done = subprocess.run(["xz", "-dc"], input=image[at:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    with open(path, "wb") as file:
        file.write(done.stdout)
    run(which("strip"), "-g", path)
    return path


def versions():
    """Versions of what the guests run."""
    table = {"kernel": kernel()}
    names = "qemu-system-x86 rdma-core perftest iproute2 linux-source-6.1".split() + [f"linux-image-{kernel()}"]
    for name in names:
        done = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version}", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        )
        if done.returncode == 0 and done.stdout:
            table["linux-image" if name.startswith("linux-image") else name] = done.stdout
    return table


def fingerprint(parts, files):
    digest = hashlib.sha256(repr(parts).encode())
    for path in files:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def cached(name, parts, files, make):
    """A file in the cache: made by make(version, folder) -> bytes or path when its inputs are new."""
    path = os.path.join(CACHE, f"{name}-{fingerprint(parts, files)}")
    if os.path.exists(path):
        return path
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        made = make(parts["kernel"], folder)
        if isinstance(made, bytes):
            with open(os.path.join(folder, "made"), "wb") as file:
                file.write(made)
            made = os.path.join(folder, "made")
        # others may be making the same: whoever comes last wins with the same bytes
        os.replace(made, path)
    for old in glob.glob(os.path.join(CACHE, f"{name}-*")):
        if old != path:
            os.unlink(old)
    return path


def build(with_siw):
    """Paths of kernel and initramfs."""
    for name in ("qemu-system-x86_64", "busybox", "modprobe", "rdma", "rping", "ib_send_bw", "ibv_rc_pingpong", "gcc"):
        which(name)
    parts = versions()
    ours = [os.path.join(HERE, name) for name in OURS] + [os.path.realpath(__file__)]
    image = cached("vmlinux", parts, [], vmlinux)
    base = cached("base", parts, ours, base_archive)
    if not with_siw:
        return image, base
    siw = cached("siw", parts, [os.path.realpath(__file__)], siw_archive)

    def both(_version, folder):
        path = os.path.join(folder, "both")
        with open(path, "wb") as out:
            for part in (base, siw):
                with open(part, "rb") as file:
                    shutil.copyfileobj(file, out)
        return path

    return image, cached("base+siw", {**parts, "base": base, "siw": siw}, [], both)
