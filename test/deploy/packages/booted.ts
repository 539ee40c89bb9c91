import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, type Finished, run, startProcess } from '../../support/processes.ts'
import { waitFor } from '../../support/wait.ts'

/** A machine with a running systemd; what is changed in it is lost. */
export interface Machine extends AsyncDisposable {
  /** Runs a command as root. */
  run(...command: readonly string[]): Promise<Finished>
}

/**
 * Mounts of the machine, on top of the files of this one: its own /proc, /dev, /run, /tmp and control groups. Then systemd
 * takes the place of the shell. It starts no service of this machine.
 */
const BOOT = `
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
root=$1/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero full random urandom tty; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir "$root/tmp/files"
mount --bind "$2" "$root/tmp/files"
printf '[Unit]\\nRequires=sysinit.target\\nAfter=sysinit.target\\n' > "$root/etc/systemd/system/machine.target"
: > "$root/etc/machine-id"
echo booting
cd "$root"
# A root that is only changed (chroot) allows services no mounts of their own.
pivot_root . mnt
exec env -i container=namespace PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . \\
  bash -c 'umount --lazy /mnt; mount --make-rshared /; exec /lib/systemd/systemd --unit=machine.target --log-target=journal'
`
const NAMESPACES = '--mount --pid --uts --ipc --net --cgroup'

/** With the hierarchy of control groups on a folder, which only these commands see. */
const withGroups = (commands: string): [string, string[]] => [
  'unshare',
  ['--mount', 'bash', '-ec', `mount -t cgroup2 none "$1"; cd "$1"; ${commands}`],
]

/**
 * Boots systemd in namespaces of its own.
 * @param folder an empty folder
 * @param files a folder that the machine has as /tmp/files
 * @returns why that does not work here, if it does not
 */
export async function bootMachine(folder: string, files: string): Promise<Machine | string> {
  if (process.getuid?.() !== 0) return 'the user is not root'
  const group = `sds-exporter-${process.pid}`
  // The process is in the group before the namespace begins, so that the group is the root of what systemd sees.
  const [command, args] = withGroups(
    `mkdir "$4"; echo $$ > "$4/cgroup.procs"; cd /; exec unshare ${NAMESPACES} --fork --kill-child bash -c "$5" boot "$2" "$3"`,
  )
  const places = [join(folder, 'groups'), join(folder, 'root')]
  for (const place of places) mkdirSync(place)
  const child = await startProcess(command, [...args, 'boot', ...places, files, group, BOOT])
  const end = async () => {
    child.kill('SIGKILL')
    await child.exited
    const [remover, removal] = withGroups('find "$2" -depth -type d -exec rmdir {} +')
    const removed = async () =>
      (await run(remover, [...removal, 'remove', places[0] ?? '', group])).code === 0
    await waitFor(removed, { what: 'the end of the processes of the machine' })
  }
  try {
    return { ...(await running(child)), [Symbol.asyncDispose]: end }
  } catch (failure) {
    await end()
    return `systemd cannot be booted here: ${(failure as Error).message}`
  }
}

/** Waits until systemd runs. */
async function running(child: Child): Promise<Pick<Machine, 'run'>> {
  await child.waitForOutput(/^booting$/m)
  const below = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  const inside = (...command: readonly string[]) =>
    run('nsenter', [`--target=${below}`, '--all', '--root', '--wd', ...command])
  const isUp = async () => (await inside('systemctl', 'is-active', 'machine.target')).code === 0
  await waitFor(isUp, { what: 'a running systemd', detail: () => child.stderr() })
  return { run: inside }
}
