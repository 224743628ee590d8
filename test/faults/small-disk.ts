import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'

const SIZE_MB = 8

/**
 * Mounts a small file system. Without the right to mount, limits the size of the files of the process instead: the
 * kernel then refuses the same writes, with another error.
 * @param largestFileBytes the size that no file of the process can pass without the right to mount.
 */
export function smallDisk(largestFileBytes: number) {
  const folder = temporaryFolder()
  const mounted = spawnSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder])
  if (mounted.status !== 0) return limitedFiles(folder, largestFileBytes)
  onTestFinished(() => void spawnSync('/usr/bin/umount', ['--lazy', folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    /** Stops all files in the folder from growing. */
    fill(_pid: number) {
      for (const size of [1024 * 1024, 4096, 1]) appendUntilFull(filler, Buffer.alloc(size))
    },
    free: () => rmSync(filler),
  }
}

function appendUntilFull(file: string, block: Buffer): void {
  try {
    for (;;) writeFileSync(file, block, { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function limitedFiles(folder: string, largestFileBytes: number) {
  let limitedPid = 0
  return {
    folder,
    fill(pid: number) {
      limitedPid = pid
      limitProcess(pid, 'fsize', largestFileBytes)
    },
    free: () => limitProcess(limitedPid, 'fsize', 'unlimited'),
  }
}

/** Sets a limit of a running process, by its name in prlimit(1). */
export function limitProcess(pid: number, name: 'fsize' | 'nofile', limit: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('/usr/bin/prlimit', ['--pid', String(pid), `--${name}=${limit}:`])
  if (status !== 0) throw new Error(`prlimit: ${stderr}`)
}
