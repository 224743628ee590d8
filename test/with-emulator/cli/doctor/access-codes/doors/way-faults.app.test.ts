import { rowsFor } from '../../../../../rows.ts'
import { cacheOf } from '../../faults/cache.ts'
import { testFaults } from '../../faults/fault-tests.ts'
import type { Fault } from '../../faults/installation.ts'
import { withCodes } from '../code-way.ts'

const SOON = 'warning doors-open-soon'
const timeIn = (seconds: number) => `${new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19)}Z`
const codes = withCodes()

/** Viewers with an access code who wait. In the browser, the doors open after some seconds. */
function waiting(): Pick<Fault, 'settings' | 'tries' | 'app' | 'viewer'> {
  let aheadMs = 0
  return {
    ...codes,
    settings: async (all) => {
      aheadMs = 0
      return { ...(await codes.settings(all)), OPENS_AT: timeIn(3_600), WAITING_ROOM: 'on' }
    },
    app: () => ({ nowSeconds: () => (Date.now() + aheadMs) / 1000 }),
    async viewer(hand, installation) {
      if (aheadMs === 0) aheadMs = 3_592_000
      await codes.viewer(hand, installation)
    },
  }
}

const TELLING: readonly Fault[] = [
  {
    name: 'a proxy caches the waiting page of viewers with an access code',
    ...waiting(),
    proxy: cacheOf(/^\/wait\?/),
    findings: [SOON, 'failure waiting-page-cached'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'control: viewers with an access code wait until the doors open',
    ...waiting(),
    findings: [SOON],
    isHarmless: true,
  },
  {
    name: 'the key of access codes is another one, and the doors are closed',
    ...waiting(),
    appSettings: () => ({ ACCESS_CODE_KEY: 'another-access-code-key-5e17' }),
    findings: [SOON, 'failure code-wrong'],
  },
  {
    name: 'the doors are over for viewers with an access code',
    ...codes,
    settings: async (all) => ({ ...(await codes.settings(all)), CLOSES_AT: timeIn(-3_600) }),
    findings: ['warning setting-doubtful', 'failure doors-over', 'unknown doors-not-open'],
  },
]

testFaults('access codes and doors', rowsFor(TELLING, OTHERS))
