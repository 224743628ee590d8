import { type RequestHandler, type Response, Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { refusesBeyond } from '../../http/beyond-documents.ts'
import { formBody, formText, readParameters } from '../../http/form.ts'
import type { AnalyticsTokenDeps } from './analytics-token.ts'
import { authenticateClient } from './client-authentication.ts'
import { revokeToken } from './refresh-token.ts'

const PATH = '/oauth2/token/revoke'

/** Route of `POST /oauth2/token/revoke` (RFC 7009), which the two documents do not have. */
export function revokeRoutes({ database, nowSeconds }: AnalyticsTokenDeps): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const onlyBeyond: RequestHandler = (_req, res, next) => {
    if (refusesBeyond(res, 'the revocation of tokens')) return refuse(res, 404, 'not_found', 'This emulator is strict')
    next()
  }
  router
    .route(PATH)
    .post(onlyBeyond, formBody, (req, res) => {
      const text = formText(req)
      const form = text === null ? null : readParameters(text)
      if (!form?.ok) return refuse(res, 400, 'invalid_request', 'The body is not a form without repeated parameters')
      const { token, client_id: clientId } = form.fields
      if (token === undefined || clientId === undefined) {
        return refuse(res, 400, 'invalid_request', 'Required parameters are missing: token or client_id')
      }
      const isBeyond = (what: string) => refusesBeyond(res, what)
      const client = authenticateClient(database, clientId, req.headers.authorization, isBeyond)
      if (!client.ok) return refuse(res, 400, 'invalid_client', client.reason)
      revokeToken(database, token, clientId, nowSeconds())
      res.status(200).set('Cache-Control', 'no-store').json({})
    })
    .all(
      onlyBeyond,
      onlyMethods('POST', (_req, res, description) => refuse(res, 405, 'invalid_request', description)),
    )
  return router
}

function refuse(res: Response, status: number, error: string, explanation: string): void {
  res.locals.explanation ??= explanation
  res.status(status).set('Cache-Control', 'no-store').json({ error })
}
