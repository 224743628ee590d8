import { describeDevice } from '../segments/device.ts'
import { DEMO_PLACES, type Place } from '../segments/places.ts'
import type { ViewType } from '../segments/segment-tables.ts'
import type { StoredSegment } from '../segments/segment-writer.ts'
import { DEMO_USER_AGENTS } from './demo-devices.ts'
import { type SeededRandom, seededRandom, seedOf } from './seeded-random.ts'

/** Someone who sits down to watch, with one of their devices. */
export interface AudienceMember
  extends Pick<StoredSegment, 'clientId' | 'viewerIdentifier' | 'deviceInfo' | 'isMobile'> {
  readonly place: Place
  readonly viewType: ViewType
}

const FIRST_NAMES =
  'ada alan barbara bela claude dennis edith emmy erno grace hedy ida janos john karen katherine leo lise maria niklaus rosa sofia tim vera'.split(
    ' ',
  )
const LAST_NAMES =
  'almasi berg castillo dubois eriksson fischer garcia horvath ito jansen kovacs lopez meyer nagy okafor papp quinn rossi sato tanaka urban varga weber yilmaz'.split(
    ' ',
  )
/** Only shapes the ids of clients. */
const FIRST_VISIT_SECONDS = Date.UTC(2026, 0, 1) / 1000
const PLACE_WEIGHTS = [10, 9, 6, 4, 8, 6, 9, 8, 6, 5, 3, 6, 4, 4, 3, 4, 3, 3, 3, 2]

/**
 * The people who watch, numbered; person n is the same each time, with their name, home, and one to three devices, and
 * those with low numbers come more often.
 */
export function openAudience(
  seed: number,
  size: number,
): (random: SeededRandom, mustSignIn: boolean) => AudienceMember {
  const places = DEMO_PLACES.map((place, line) => [place, PLACE_WEIGHTS[line] ?? 1] as const)
  const devices = DEMO_USER_AGENTS.map(([userAgent, weight]) => [describeDevice(userAgent), weight] as const)
  return (random, mustSignIn) => {
    const index = Math.floor(size * random.next() ** 1.8)
    const person = seededRandom(seedOf(seed, index))
    const home = person.pick(places)
    const deviceCount = person.between(1, 4)
    const device = seededRandom(seedOf(seed, (index + 1) * 4 + random.between(0, deviceCount)))
    const { info: deviceInfo, isMobile } = device.pick(devices)
    return {
      clientId: device.uuid(FIRST_VISIT_SECONDS),
      viewerIdentifier: mustSignIn || person.chance(0.35) ? nameOf(index) : null,
      deviceInfo,
      isMobile,
      place: random.chance(0.04) ? random.pick(places) : home,
      viewType: random.chance(0.72) ? 'offsite' : 'onsite',
    }
  }
}

function nameOf(index: number): string {
  const first = FIRST_NAMES[index % FIRST_NAMES.length]
  const last = LAST_NAMES[Math.floor(index / FIRST_NAMES.length) % LAST_NAMES.length]
  const repeat = Math.floor(index / (FIRST_NAMES.length * LAST_NAMES.length))
  return `${first}.${last}${repeat === 0 ? '' : repeat + 1}@example.com`
}
