import { globSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { startApp } from './app-program.ts'
import type { Fault, Stage } from './rehearse.ts'
import { settingsInFolder } from './settings.ts'
import { limitProcess } from './small-disk.ts'
import { KINDS, NO_ANSWER, type Visitor, visit } from './visit.ts'

const HOUR_SECONDS = 3600

export const machineFaults: readonly Fault[] = [
  { id: 'clock-forward', sees: {}, waitSeconds: 2, recoverySeconds: 1, prepare: () => prepareClock(HOUR_SECONDS) },
  { id: 'clock-back', sees: {}, waitSeconds: 2, recoverySeconds: 1, prepare: () => prepareClock(-HOUR_SECONDS) },
  {
    id: 'descriptors-used-up',
    sees: Object.fromEntries(KINDS.map((kind) => [kind, [NO_ANSWER]])),
    waitSeconds: 2,
    recoverySeconds: 1,
    prepare: prepareFewDescriptors,
  },
]

async function prepareClock(jumpSeconds: number): Promise<Stage> {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  if (library === undefined) throw new Error('libfaketime is missing: sudo apt-get install faketime')
  const file = join(temporaryFolder(), 'clock')
  const setClock = (offsetSeconds: number) => {
    // The program reads the file all the time, so it must never be half written.
    writeFileSync(`${file}.new`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}`)
    renameSync(`${file}.new`, file)
  }
  setClock(0)
  const clock = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    // Timers of Node must go on: a real change of the clock does not affect them.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  const app = await startApp({ settings: { ...(await settingsInFolder()), ...clock } })
  return {
    port: app.port,
    copies: [app],
    async begin() {
      await guessUntilRefused(app.port)
      setClock(jumpSeconds)
      await expect.poll(() => offsetOf(app.port), { timeout: 5_000 }).toBeCloseTo(jumpSeconds, -2)
      const { outcome, retryAfterSeconds } = await visit(app.port, 'wrong password', GUESSER)
      if (outcome === '429') expect(retryAfterSeconds).toBeLessThanOrEqual(LONGEST_RETRY_SECONDS)
    },
    end: () => setClock(0),
  }
}

/** Returns how many seconds the clock of the program is ahead. */
async function offsetOf(port: number): Promise<number> {
  const { headers } = await fetch(`http://127.0.0.1:${port}/health/live`)
  return (Date.parse(headers.get('date') ?? '') - Date.now()) / 1000
}

/** An address where no other viewer signs in. */
const GUESSER: Visitor = { username: 'viewer-0@example.com', address: '127.0.2.1', cookie: null }
const MOST_GUESSES = 20
/** The longest wait of an account after a few failed sign-ins. */
const LONGEST_RETRY_SECONDS = 60

async function guessUntilRefused(port: number): Promise<void> {
  for (let guess = 0; guess < MOST_GUESSES; guess += 1) {
    if ((await visit(port, 'wrong password', GUESSER)).outcome === '429') return
  }
  throw new Error('Guessing is not limited')
}

const SPARE = 30
const HOG_EVERY_MS = 50
const CONNECTIONS_AT_ONCE = 6

/** Leaves the program a few file descriptors, and takes them with connections that send nothing. */
async function prepareFewDescriptors(): Promise<Stage> {
  const app = await startApp({ settings: await settingsInFolder() })
  const idle: Socket[] = []
  const hog = () => {
    for (let count = 0; count < CONNECTIONS_AT_ONCE; count += 1) {
      idle.push(connect(app.port, '127.0.0.1').on('error', () => {}))
    }
  }
  let timer: NodeJS.Timeout | undefined
  return {
    port: app.port,
    copies: [app],
    begin() {
      limitProcess(app.pid, 'nofile', readdirSync(`/proc/${app.pid}/fd`).length + SPARE)
      timer = setInterval(hog, HOG_EVERY_MS)
    },
    end() {
      clearInterval(timer)
      for (const socket of idle) socket.destroy()
    },
  }
}
