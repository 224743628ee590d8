import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Router } from 'express'
import { routesOf } from '../http/methods.ts'
import type { ServiceFeature } from '../service-feature.ts'
import { tokenChecker } from './check-token.ts'
import { serviceKeyControl } from './control.ts'
import { tokenLockFinder } from './lock.ts'
import { openServiceKeys, publicKeySet } from './service-keys.ts'
import { faultInPublicKey, viewerAuthRoutes } from './viewer-auth.ts'

const SECTION = fileURLToPath(new URL('views/section.ejs', import.meta.url))

/** The second version of viewer authentication. */
export const service: ServiceFeature = {
  tables: readFileSync(new URL('tables.sql', import.meta.url), 'utf8'),
  faultInKey: faultInPublicKey,
  open(deps) {
    const serviceKeys = openServiceKeys(deps)
    const checkToken = tokenChecker(deps, serviceKeys)
    const routes = Router({ caseSensitive: true, strict: true })
    routes.use(viewerAuthRoutes(deps))
    // The public keys of the service, for everyone.
    routesOf(routes)('/viewer-auth-public-key.json', {
      get: async (_req, res) => res.json(publicKeySet(await serviceKeys.accepted())),
    })
    return {
      routes,
      control: serviceKeyControl(serviceKeys),
      section: { view: SECTION, data: {} },
      findLock: tokenLockFinder(deps, checkToken),
    }
  },
}
