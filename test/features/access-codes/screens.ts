import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryPointAt } from '../../login/entry-point.ts'
import { type FeatureScreens, LONG_NAME } from '../../login/screens/screen.ts'
import { withCodes } from './codes-app.ts'

const PATH = '/e/tickets'
const folder = mkdtempSync(join(tmpdir(), 'codes-screens-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** The form of a code alone on the screen, with a name, and after a wrong code. */
export const codeScreens: FeatureScreens = {
  entryPoint: { ...withCodes(entryPointAt('tickets'), { asksName: 'optional' }), hasPasswordForm: false },
  deps: { featureSettings: { guests: { store: { kind: 'sqlite', file: join(folder, 'guests.db') } } } },
  async screens(app, headers) {
    const enter = (fields: Record<string, string>) => app.post(`${PATH}/access-code`, fields, headers)
    const wrong = await enter({ code: 'CDF2-GHJ-KM3', name: LONG_NAME })
    const unusable = await enter({ code: 'CDF2-GHJ-KM3', name: 'a|b' })
    return [
      { name: 'access code', html: (await app.get(PATH, headers)).text },
      { name: 'wrong access code', html: wrong.text },
      { name: 'unusable name', html: unusable.text },
    ]
  },
}
