import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { startApp } from './app-program.ts'
import type { Fault } from './rehearse.ts'
import { settingsInFolder } from './settings.ts'
import { smallDisk } from './small-disk.ts'

export const fileFaults: readonly Fault[] = [
  {
    id: 'viewers-locked',
    sees: {},
    waitSeconds: 2,
    recoverySeconds: 1,
    prepare: () => prepareLocked('USER_STORE_URL'),
  },
  {
    id: 'sessions-locked',
    sees: { 'right password': ['in without a session'], ready: ['degraded'] },
    waitSeconds: 2,
    recoverySeconds: 3,
    prepare: () => prepareLocked('SESSION_STORE_URL'),
  },
  {
    id: 'disk-full',
    sees: { 'right password': ['in without a session'], ready: ['degraded'] },
    waitSeconds: 2,
    recoverySeconds: 3,
    async prepare() {
      const disk = smallDisk(1)
      const settings = await settingsInFolder(disk.folder)
      const app = await startApp({ settings })
      const begin = () => {
        releaseRoom(fileOf(settings.SESSION_STORE_URL))
        disk.fill(app.pid)
      }
      return { port: app.port, copies: [app], begin, end: disk.free }
    },
  },
]

async function prepareLocked(setting: 'USER_STORE_URL' | 'SESSION_STORE_URL') {
  const settings = await settingsInFolder()
  const app = await startApp({ settings })
  const file = fileOf(settings[setting])
  let locker: ChildProcess | null = null
  return {
    port: app.port,
    copies: [app],
    begin: async () => {
      locker = await lock(file)
    },
    end: () => void locker?.kill('SIGKILL'),
  }
}

/** Starts another process that holds the lock of the file, as a program for backups or a forgotten shell does. */
async function lock(file: string): Promise<ChildProcess> {
  const program = `const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
    database.exec('BEGIN EXCLUSIVE')
    console.log('locked')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

function fileOf(url = ''): string {
  return url.replace('sqlite:', '')
}

/** Empties the write-ahead log, as a backup does. Otherwise the next sessions would fit into its old pages. */
function releaseRoom(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}
