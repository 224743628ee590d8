import { KEY } from '../../../../../features/access-codes/codes-app.ts'
import { rowsFor } from '../../../../../rows.ts'
import { testFaults } from '../../faults/fault-tests.ts'
import type { Fault } from '../../faults/installation.ts'
import { twoEntryPoints } from '../../faults/two-entry-points.ts'
import { withCodes } from '../code-way.ts'

/** Two entry points. The channel belongs to the second one, which has access codes alone. */
const atSecond: Pick<Fault, 'settings' | 'tries' | 'viewer' | 'afterwards'> = {
  ...withCodes(),
  async settings(all) {
    const codes = await withCodes(
      { PASSWORD_FORM: '', ACCESS_CODES: '', ACCESS_CODE_KEY: '' },
      { entryPoint: 'silver' },
    ).settings(all)
    const second = twoEntryPoints({}, { accessCodes: 'on', accessCodeKey: KEY, passwordForm: 'off' })
    return { ...codes, ...(await second.settings?.(all)) }
  },
  afterwards: ({ run }) => run('lock', 'set', '--channel', '1002', '--entry-point', 'silver', '--yes'),
}

const ROWS: readonly Fault[] = [
  { name: 'control: access codes at the second entry point', ...atSecond, findings: [], isHarmless: true },
  {
    name: 'a proxy renames the field for the access code of the second entry point',
    ...atSecond,
    proxy: { text: (html) => html.replaceAll('name="code"', 'name="ticket"') },
    findings: ['failure form-fields-changed'],
  },
]

testFaults('access codes at one of two entry points', rowsFor(ROWS.slice(1), ROWS.slice(0, 1)))
