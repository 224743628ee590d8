import { styleText } from 'node:util'
import { randomKey } from '../../seed/default-seed.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'
import { eveningLines } from './drill/evening-lines.ts'

const NAME = 'evening'
const OPENS_AFTER_MS = 60_000
const OPEN_MS = 3 * 3_600_000
const LATER_MS = 15 * 60_000

/** Other things to do with the event. */
const MORE_LINES: readonly ((channel: string) => readonly string[])[] = [
  eveningLines, //
]

/** An event that opens a minute after the start. */
export const doorsDemo: MakeDemoFeature = (loginUrl) => {
  const lock = { url: `${loginUrl}/e/${NAME}`, secret: randomKey() }
  const channel = { id: '1300', title: 'Premiere', lock }
  let opensMs = 0
  return {
    channel,
    entryPoint(_emulator, { hash, brand }) {
      opensMs = Date.now() + OPENS_AFTER_MS
      return {
        name: NAME,
        secret: lock.secret,
        ...hash,
        ...brand,
        opensAt: isoTime(opensMs),
        closesAt: isoTime(opensMs + OPEN_MS),
        waitingRoom: 'on',
        doorsTimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }
    },
    introduction: ({ pageOrigin }) => [
      `The event on this page opens a minute after the start, at ${clock(opensMs)}. Sign in before, and wait:`,
      `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channel.id}`)}`,
      'To move its start, with the command line as below:',
      `  npm run -s viewer-auth -- doors --entry-point ${NAME} --opens ${clock(opensMs + LATER_MS).slice(0, 5)}`,
      ...MORE_LINES.flatMap((lines) => lines(channel.id)),
    ],
  }
}

/** Returns whole seconds: doors know no smaller times. */
function isoTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`
}

/** Returns the time on the clocks of this machine, such as 20:15:30. */
function clock(timeMs: number): string {
  return new Date(timeMs).toLocaleTimeString('en-GB')
}
