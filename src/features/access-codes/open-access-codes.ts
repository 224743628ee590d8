import { Router } from 'express'
import type { OpenFeature } from '../../login/feature.ts'
import { formBody } from '../../login/request/form-body.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { sendFault, sendWrongMethod } from '../../login/routes.ts'
import type { AppParts } from '../../login/service.ts'
import { onlyMethods } from '../../server/only-methods.ts'
import { guestSubjectOf } from '../../services/guests/guest-identity.ts'
import type { Guests } from '../../services/guests/service.ts'
import { stores } from '../../stores.ts'
import { readSubject } from './codes/code-records.ts'
import { createCodeStore } from './codes/code-store.ts'
import type { AccessCodeSettings } from './fields.ts'
import { createGate } from './gate.ts'
import { createGuessLimits } from './guess-limits.ts'
import { CODES_ISSUER } from './guest-way.ts'
import { type CodeDeps, postCode } from './post-code.ts'
import { codeScreenPart } from './screen-part.ts'

const PATH = '/access-code'

/** Opens the codes in the guests store, and their places where the app counts screens. */
export async function openAccessCodes(
  app: AppParts & { readonly guests: Guests },
): Promise<OpenFeature<AccessCodeSettings>> {
  const { openCounter, addressLimit, signInLimits, sessionSettings } = app
  const codes = createCodeStore(app.guests.records)
  const places = await stores.places(app.stores, app)
  return {
    at({ name }, settings) {
      const own = {
        settings,
        codes,
        places,
        placeSeconds: settings.placeSeconds,
        guessLimits: createGuessLimits(openCounter, addressLimit, name),
        passwordLimits: signInLimits,
        sessionLifetimeSeconds: sessionSettings.lifetimeSeconds,
      }
      return {
        screenPart: codeScreenPart(settings),
        // A code belongs to one entry point, and so does the session.
        acceptsSession: (viewer) => readSubject(guestSubjectOf(viewer, CODES_ISSUER) ?? '')?.entryPoint === name,
        gate: (deps) => createGate({ ...deps, ...own }),
        routes: (deps) => codeRoutes({ ...deps, ...own }, deps),
      }
    },
    optionalStores: places.optionalStores,
    close: places.close,
  }
}

function codeRoutes(codeDeps: CodeDeps, deps: EntryPointDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.post(PATH, formBody, postCode(codeDeps))
  router.all(PATH, onlyMethods('POST', sendWrongMethod(deps)))
  router.use(sendFault(deps))
  return router
}
