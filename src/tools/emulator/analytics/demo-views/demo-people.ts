import { describeDevice } from '../segments/device.ts'
import { DEMO_PLACES } from '../segments/places.ts'
import type { StoredSegment } from '../segments/segment-writer.ts'
import { seededRandom, seedOf } from './seeded-random.ts'

/** The fields that all segments of a person share. */
export type Person = Pick<
  StoredSegment,
  'clientId' | 'viewerIdentifier' | 'viewType' | 'country' | 'city' | 'deviceInfo' | 'isMobile'
>

/** Only shapes the ids of clients. */
const FIRST_VISIT_SECONDS = Date.UTC(2026, 0, 1) / 1000
const NAMES = 'ada alan bela claude edith emmy grace hedy ida janos karen leo lise maria niklaus rosa tim vera'.split(
  ' ',
)

/** User agents of generated viewers, the most common first. */
const DEMO_USER_AGENTS: readonly string[] = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36 Edg/146.0.0.0',
  'Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.7680.60 Mobile Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36 WebAppManager',
]

/** Makes person n, always with the same name, place and device. */
export function makePerson(seed: number, index: number, mustSignIn: boolean): Person {
  const random = seededRandom(seedOf(seed, index))
  const { country = '', city = '' } = DEMO_PLACES[random.low(DEMO_PLACES.length)] ?? {}
  const device = describeDevice(DEMO_USER_AGENTS[random.low(DEMO_USER_AGENTS.length)] ?? '')
  const name = `${NAMES[index % NAMES.length]}${Math.floor(index / NAMES.length) || ''}@example.com`
  return {
    clientId: random.uuid(FIRST_VISIT_SECONDS),
    viewType: random.chance(0.7) ? 'offsite' : 'onsite',
    viewerIdentifier: mustSignIn || random.chance(0.35) ? name : null,
    country,
    city,
    deviceInfo: device.info,
    isMobile: device.isMobile,
  }
}
