import type { Feature } from '../../login/feature.ts'
import { type TokenSettings, tokenFields } from './fields.ts'

/** The second version of viewer authentication: the player sends its address as `ref`, and gets a token as `vt`. */
export const token: Feature<ReturnType<typeof tokenFields.settings>, TokenSettings> = {
  ...tokenFields,
  async open(services, entryPoints) {
    // Loaded late, because most apps need none of this code.
    const { openTokens } = await import('./open-tokens.ts')
    return await openTokens(services, entryPoints)
  },
}
