import { spawnSync } from 'node:child_process'
import { closeSync, constants, createReadStream, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { startApp } from './app-program.ts'
import type { Fault } from './rehearse.ts'
import { settingsInFolder } from './settings.ts'
import { smallDisk } from './small-disk.ts'

/** Larger than the files of the stores, so that a limit stops only the log. The sparse file takes no space. */
const LOG_BYTES = 2 ** 26

export const logFaults: readonly Fault[] = [
  {
    id: 'log-full',
    sees: {},
    waitSeconds: 2,
    recoverySeconds: 1,
    async prepare() {
      const stdout = openSync('/dev/full', 'w')
      const app = await startApp({ settings: await settingsInFolder(), stdout })
      closeSync(stdout)
      return { port: app.port, copies: [app], begin() {}, end() {} }
    },
  },
  {
    id: 'log-disk-full',
    sees: {},
    waitSeconds: 2,
    recoverySeconds: 1,
    async prepare() {
      const disk = smallDisk(LOG_BYTES)
      const file = join(disk.folder, 'log')
      writeFileSync(file, '')
      truncateSync(file, LOG_BYTES)
      const stdout = openSync(file, 'a')
      const app = await startApp({ settings: await settingsInFolder(), stdout })
      closeSync(stdout)
      return { port: app.port, copies: [app], begin: () => disk.fill(app.pid), end: disk.free }
    },
  },
  {
    id: 'log-stalled',
    sees: {},
    waitSeconds: 2,
    recoverySeconds: 1,
    async prepare() {
      const path = join(temporaryFolder(), 'pipe')
      spawnSync('mkfifo', [path])
      // Reads and writes, so that the pipe is open at both ends without another process.
      const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
      const stdout = openSync(path, 'w')
      const app = await startApp({ settings: await settingsInFolder(), stdout })
      closeSync(stdout)
      const end = () =>
        void createReadStream('', { fd: pipe })
          .on('error', () => {})
          .resume()
      return { port: app.port, copies: [app], begin: () => fillPipe(pipe), end }
    },
  },
]

/** Writes until the kernel takes no more. */
function fillPipe(pipe: number): void {
  const block = Buffer.alloc(4096, '\n')
  try {
    for (;;) writeSync(pipe, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
}
