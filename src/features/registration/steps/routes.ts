import { Router } from 'express'
import { formBody } from '../../../login/request/form-body.ts'
import { sendFault, sendWrongMethod } from '../../../login/routes.ts'
import { onlyMethods } from '../../../server/only-methods.ts'
import { PATHS } from '../form/paths.ts'
import { postFields } from './fill.ts'
import { getAddress, postAddress, postCode, type RegisterDeps } from './steps.ts'

/** Creates the forms of the registration at one entry point, below its base path. */
export function registrationRoutes(deps: RegisterDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get(PATHS.address, getAddress(deps)).post(PATHS.address, formBody, postAddress(deps))
  router.post(PATHS.code, formBody, postCode(deps))
  router.post(PATHS.fields, formBody, postFields(deps))
  router.all(PATHS.address, onlyMethods('GET, HEAD, POST', sendWrongMethod(deps)))
  router.all([PATHS.code, PATHS.fields], onlyMethods('POST', sendWrongMethod(deps)))
  router.use(sendFault(deps))
  return router
}
