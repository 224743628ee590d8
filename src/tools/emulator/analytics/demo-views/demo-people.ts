import { describeDevice } from '../segments/device.ts'
import { DEMO_PLACES } from '../segments/places.ts'
import type { StoredSegment } from '../segments/segment-writer.ts'
import people from './demo-people.json' with { type: 'json' }
import { seededRandom, seedOf } from './seeded-random.ts'

/** The fields that all segments of a person share. */
export type Person = Pick<
  StoredSegment,
  'clientId' | 'viewerIdentifier' | 'viewType' | 'country' | 'city' | 'deviceInfo' | 'isMobile'
>

/** The most common first. */
const { names: NAMES, userAgents: DEMO_USER_AGENTS } = people

/** Makes person n, always with the same name, place and device. */
export function makePerson(seed: number, index: number, mustSignIn: boolean): Person {
  const random = seededRandom(seedOf(seed, index))
  const { country = '', city = '' } = DEMO_PLACES[random.low(DEMO_PLACES.length)] ?? {}
  const device = describeDevice(DEMO_USER_AGENTS[random.low(DEMO_USER_AGENTS.length)] ?? '')
  const name = `${NAMES[index % NAMES.length]}${Math.floor(index / NAMES.length) || ''}@example.com`
  return {
    clientId: random.uuid(),
    viewType: random.chance(0.7) ? 'offsite' : 'onsite',
    viewerIdentifier: mustSignIn || random.chance(0.35) ? name : null,
    country,
    city,
    deviceInfo: device.info,
    isMobile: device.isMobile,
  }
}
