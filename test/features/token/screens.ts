import { STORE_DOWN } from '../../login/memory-users.ts'
import type { FeatureScreens } from '../../login/screens/screen.ts'
import { formOf, START_SECONDS } from '../../login/start-login-app.ts'
import { TOKEN_ENTRY_POINT } from './entry-point.ts'
import { createTestIssuer, REF, tokensFrom } from './start-token-app.ts'

const PATH = '/e/tokens'
const WITH_REF = `${PATH}?${formOf({ ref: REF })}`

/** The screens that only an entry point with tokens has. */
export const tokenScreens: FeatureScreens = {
  entryPoint: { ...TOKEN_ENTRY_POINT, name: 'tokens', basePath: PATH },
  deps: { features: tokensFrom(() => createTestIssuer(() => START_SECONDS)) },
  async screens(app, headers, Cookie) {
    const of = async (path: string, more = {}) => (await app.get(path, { ...headers, ...more })).text
    const screens = [
      { name: 'ref is missing', html: await of(PATH) },
      { name: 'refused token', html: await of(`${PATH}?${formOf({ ref: `${REF}&vt=x` })}`) },
      { name: 'cancelled', html: (await app.post(`${PATH}/cancel`, { ref: REF }, headers)).text },
    ]
    let loop = ''
    for (let visit = 0; visit < 7; visit += 1) loop = await of(WITH_REF, { Cookie })
    app.users.fail(STORE_DOWN)
    const unavailable = await of(WITH_REF, { Cookie })
    app.users.fail(null)
    return [...screens, { name: 'loop, tokens', html: loop }, { name: 'unavailable, tokens', html: unavailable }]
  },
}
