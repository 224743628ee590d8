import { channelPage, channelWithLock, type MakeDemoFeature } from '../demo-feature.ts'
import { startCrowd } from './crowd.ts'
import { eveningLines } from './drill/evening-lines.ts'

const EVENT = { name: 'evening', id: '1300', title: 'Premiere' }
const OPENS_AFTER_MS = 60_000
const OPEN_MS = 3 * 3_600_000
const LATER_MS = 15 * 60_000

/** Other things to do with the event. */
// biome-ignore format: one item a line
const FURTHER_LINES: readonly ((channel: string) => readonly string[])[] = [
  eveningLines,
]

/** An event that opens a minute after the start. */
export const demo: MakeDemoFeature = (loginUrl) => {
  let opensMs = 0
  let ofDemo = ''
  return {
    order: 4,
    ...channelWithLock(loginUrl, EVENT, () => {
      opensMs = Date.now() + OPENS_AFTER_MS
      return {
        opensAt: isoTime(opensMs),
        eventName: EVENT.title,
        closesAt: isoTime(opensMs + OPEN_MS),
        waitingRoom: 'on',
        doorsTimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }
    }),
    programSettings(folder) {
      ofDemo = folder
      return Promise.resolve({})
    },
    start: (environment, sendsMails) => startCrowd(ofDemo, environment, EVENT, sendsMails),
    hint: (emulator) => ({
      title: 'Event with doors',
      text: `300 people come, one every two seconds. It opens a minute after the start of the demo, at ${clock(opensMs)}. Sign in before, and wait.`,
      page: channelPage(emulator, EVENT.id),
      commands: [
        '# Opens it later',
        `npm run -s viewer-auth -- doors --entry-point ${EVENT.name} --opens ${clock(opensMs + LATER_MS).slice(0, 5)}`,
        ...FURTHER_LINES.flatMap((lines) => lines(EVENT.id)),
      ],
    }),
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
