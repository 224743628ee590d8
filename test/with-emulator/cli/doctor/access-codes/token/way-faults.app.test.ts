import { rowsFor } from '../../../../../rows.ts'
import { testFaults } from '../../faults/fault-tests.ts'
import type { Fault } from '../../faults/installation.ts'
import { tokenSettings } from '../../token/token-settings.ts'
import { withCodes } from '../code-way.ts'

const codes = withCodes()
const withTokens: Pick<Fault, 'settings' | 'tries' | 'viewer'> = {
  ...codes,
  settings: async (all) => ({ ...(await codes.settings(all)), ...tokenSettings(all) }),
}

const TELLING: readonly Fault[] = [
  {
    name: 'a proxy renames the field for the access code, and the answer is a token',
    ...withTokens,
    proxy: { text: (html) => html.replaceAll('name="code"', 'name="ticket"') },
    findings: ['failure form-fields-changed'],
  },
]

const OTHERS: readonly Fault[] = [
  { name: 'control: an access code, and the answer is a token', ...withTokens, findings: [], isHarmless: true },
  {
    name: 'the key of access codes is another one, and the answer is a token',
    ...withTokens,
    appSettings: () => ({ ACCESS_CODE_KEY: 'another-access-code-key-5e17' }),
    findings: ['failure code-wrong'],
  },
  {
    name: 'a firewall answers the form with the access code, and the answer is a token',
    ...withTokens,
    proxy: { instead: ({ url }, res) => url === '/access-code' && Boolean(res.writeHead(403).end('<h1>No</h1>')) },
    findings: ['failure not-the-app'],
  },
]

testFaults('access codes and tokens', rowsFor(TELLING, OTHERS))
