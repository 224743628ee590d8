import type { Batch } from '../../../../../src/features/access-codes/codes/code-records.ts'
import { KEY, openCodes } from '../../../../features/access-codes/codes-app.ts'
import type { Fault } from '../faults/installation.ts'

type Settings = Readonly<Record<string, string>>

/** An entry point with access codes alone, and a code for all that comes. */
export const withCodes = (
  changed: Settings = {},
  batch: Partial<Batch> = {},
): Required<Pick<Fault, 'settings' | 'tries' | 'viewer'>> => ({
  async settings() {
    const { file, create } = openCodes(() => Date.now() / 1000)
    const [VIEWER_CODE = ''] = await create(batch)
    const store = `sqlite:${file}`
    const codes = { ACCESS_CODES: 'on', ACCESS_CODE_KEY: KEY, GUESTS_STORE_URL: store, VIEWER_CODE }
    return { ...codes, PASSWORD_FORM: 'off', ...changed }
  },
  tries: ['--code'],
  viewer: ({ type }, { env }) => type({ '#code': env.VIEWER_CODE ?? '', '#name': 'Ada' }),
})
