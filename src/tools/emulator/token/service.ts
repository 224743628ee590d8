import { fileURLToPath } from 'node:url'
import type { ServiceFeature } from '../service-feature.ts'
import { tokenChecker } from './check-token.ts'
import { serviceKeyControl } from './control.ts'
import { tokenLockFinder } from './lock.ts'
import { serviceRoutes, VIEWER_AUTH_TABLES } from './routes.ts'
import { openServiceKeys } from './service-keys.ts'
import { faultInPublicKey } from './viewer-auth-settings.ts'

const SECTION = fileURLToPath(new URL('views/section.ejs', import.meta.url))

/** The second version of viewer authentication. */
export const service: ServiceFeature = {
  tables: VIEWER_AUTH_TABLES,
  faultInKey: faultInPublicKey,
  open(deps) {
    const serviceKeys = openServiceKeys(deps)
    const checkToken = tokenChecker({ ...deps, serviceKeys })
    return {
      routes: serviceRoutes({ ...deps, serviceKeys }),
      control: serviceKeyControl(serviceKeys),
      section: { view: SECTION, data: {} },
      parameter: 'vt',
      findLock: tokenLockFinder({ ...deps, checkToken }),
    }
  },
}
