import { defineFeature } from '../../login/feature.ts'
import { tokenFields } from './fields.ts'

/** The second version of viewer authentication: the player sends its address as `ref`, and gets a token as `vt`. */
export const token = defineFeature({
  ...tokenFields,
  isFixed: true,
  async open(app, entryPoints) {
    // Loaded late, because most apps need none of this code.
    const { openTokens } = await import('./open-tokens.ts')
    return await openTokens(app, entryPoints)
  },
})
