import { readConfig } from '../../../../../src/config.ts'
import { rowsFor } from '../../../../rows.ts'
import { cacheOf } from '../faults/cache.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault, Hand, Installation } from '../faults/installation.ts'

type Settings = Readonly<Record<string, string>>

const timeAt = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const timeIn = (seconds: number) => timeAt(Date.now() + seconds * 1000)
const SOON = 'warning doors-open-soon'
/** So long a viewer in the browser waits. */
const WAIT_SECONDS = 6

/** Doors, as the settings say. */
const withDoors = (settings: () => Settings): Pick<Fault, 'settings'> => ({ settings })

/** Doors that open after the doctor has run. The clock of the app then goes on to the last seconds. */
function opening(changed: Settings = {}): Pick<Fault, 'settings' | 'app' | 'viewer'> {
  let opensAtMs = 0
  let aheadMs = 0
  return {
    settings() {
      aheadMs = 0
      opensAtMs = Date.now() + 3_600_000
      return { OPENS_AT: timeAt(opensAtMs), WAITING_ROOM: 'on', ...changed }
    },
    app: () => ({ nowSeconds: () => (Date.now() + aheadMs) / 1000 }),
    async viewer({ type }: Hand, { env }: Installation) {
      if (aheadMs === 0) aheadMs = opensAtMs - WAIT_SECONDS * 1000 - Date.now()
      await type({ '#password': env.VIEWER_PASSWORD ?? '', '#username': 'ada@example.com' })
    },
  }
}

const TELLING: readonly Fault[] = [
  {
    name: 'control: viewers wait until the doors open',
    ...opening(),
    findings: [SOON],
    isHarmless: true,
  },
  {
    name: 'a proxy removes the header Refresh of the waiting page',
    ...opening(),
    proxy: { answers: ({ refresh: _removed, ...headers }) => headers },
    findings: [SOON, 'failure waiting-refresh-removed'],
  },
  {
    name: 'a proxy caches the waiting page',
    ...opening(),
    proxy: cacheOf(/^\/wait\?/),
    findings: [SOON, 'failure waiting-page-cached'],
  },
  {
    name: 'a firewall answers the waiting page',
    ...opening(),
    proxy: { instead: ({ url }, res) => url?.startsWith('/wait') === true && Boolean(res.writeHead(404).end('None')) },
    findings: [SOON, 'failure no-waiting-page'],
  },
  {
    name: 'the doors are over',
    ...withDoors(() => ({ CLOSES_AT: timeIn(-86_400) })),
    findings: ['warning setting-doubtful', 'failure doors-over', 'unknown doors-not-open'],
  },
  {
    name: 'only the app has doors, and they are closed',
    appSettings: () => ({ OPENS_AT: timeIn(86_400) }),
    findings: ['failure refused'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'the doors open in a year',
    ...withDoors(() => ({ OPENS_AT: timeIn(365 * 86_400) })),
    findings: ['unknown doors-far', 'unknown doors-not-open'],
  },
  {
    name: 'the doors open in an hour, and there is no waiting room',
    ...withDoors(() => ({ OPENS_AT: timeIn(3_600) })),
    findings: [SOON, 'unknown doors-not-open'],
  },
  {
    name: 'a proxy cuts the query of the waiting page',
    ...opening(),
    proxy: { path: (path) => path.slice(0, 120) },
    findings: [SOON, 'failure no-waiting-page'],
  },
  {
    name: 'one of two copies of the app has doors that are over',
    ...withDoors(() => ({ OPENS_AT: timeIn(-86_400) })),
    copy: (all) => ({ entryPoints: readConfig({ ...all, CLOSES_AT: timeIn(-3_600) }).entryPoints }),
    findings: ['failure doors-differ'],
  },
  {
    name: 'the clock of the app is two hours behind, and the doors opened an hour ago',
    ...withDoors(() => ({ OPENS_AT: timeIn(-3_600) })),
    app: () => ({ nowSeconds: () => Date.now() / 1000 - 7_200 }),
    proxy: {
      answers: ({ date, ...headers }) => ({ ...headers, date: new Date(Date.now() - 7_200_000).toUTCString() }),
    },
    findings: ['warning copy-clock', 'failure clock-expires', 'failure doors-differ'],
  },
  {
    name: 'control: the doors are open, with a title, a zone and a closing tomorrow',
    ...withDoors(() => ({
      OPENS_AT: timeIn(-3_600),
      CLOSES_AT: timeIn(86_400),
      DOORS_TIME_ZONE: 'Europe/Berlin',
      EVENT_NAME: 'Gala',
    })),
    findings: [],
    isHarmless: true,
  },
  {
    name: 'control: viewers wait behind a proxy that writes headers of a cache',
    ...opening({ BRAND_NAME: 'Lakeside', HELP_URL: 'https://help.example/' }),
    proxy: { answers: (headers) => ({ ...headers, 'x-cache': 'MISS', via: '1.1 proxy' }) },
    findings: [SOON],
    isHarmless: true,
  },
]

testFaults('doors and the waiting room', rowsFor(TELLING, OTHERS))
