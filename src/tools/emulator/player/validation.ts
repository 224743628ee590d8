import express, { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { checkAuthenticationResponse } from '../../../hash-lock/check-response.ts'
import { describeDiagnosis, diagnoseResponse } from '../../../hash-lock/diagnosis.ts'
import { type RefusesBeyond, refusesBeyond, strictRefusal } from '../http/beyond-documents.ts'
import { routesOf } from '../http/methods.ts'
import type { Content } from './content.ts'
import type { PlayerDeps } from './playbacks.ts'

const HASH_FIRST = 'the hash before hashExpire'

/** The body of a validation request. `response` is null for a channel or video without a lock. */
const ValidationRequest = z.object({
  content_type: z.enum(['live', 'recorded']),
  content_id: z.string(),
  response: z.string().nullable(),
})

type ValidationResult =
  | { valid: true; viewer: string | null; expiresAtSeconds: number | null; explanation: string }
  | { valid: false; explanation: string }

/**
 * The validation endpoint (specification: "What the service does", 5; "Hash expiry"). A refused response is answered
 * with 200 and `valid: false`. Only the request log says why.
 */
export function validationRoutes({ nowSeconds, findContent, playbacks }: PlayerDeps): Router {
  const validate: RequestHandler = (req, res) => {
    const request = ValidationRequest.safeParse(req.body)
    if (!request.success) {
      res.locals.explanation = 'The body of the validation request is malformed'
      return res.status(400).json({ error: 'invalid_request' })
    }
    const { content_type, content_id, response } = request.data
    const content = findContent(content_type, content_id)
    if (content === null) return res.status(404).json({ error: 'not_found' })
    const result = checkResponse(content, response, nowSeconds(), (what) => refusesBeyond(res, what))
    res.locals.explanation = result.explanation
    if (!result.valid) return res.json({ valid: false })
    return res.json(playbacks.open(content, result.viewer, result.expiresAtSeconds))
  }
  const router = Router()
  routesOf(router)('/embed/hashlock/validate', { post: [express.json({ limit: '8kb' }), validate] })
  return router
}

function checkResponse(
  { lock, channelId }: Content,
  response: string | null,
  nowSeconds: number,
  refuses: RefusesBeyond,
): ValidationResult {
  if (lock === null) {
    const explanation = 'There is no lock: all viewers may watch.'
    return { valid: true, viewer: null, expiresAtSeconds: null, explanation }
  }
  // A response must not open what another version locks.
  if (lock.kind === 'frame') {
    const explanation = `Refused: the channel or video is locked ${lock.name}, and takes no authentication response.`
    return { valid: false, explanation }
  }
  if (response === null)
    return { valid: false, explanation: 'Refused: the channel or video is locked, but the request has no response.' }
  const inherited = lock.isInherited
    ? ` The lock belongs to channel ${channelId}, because the video has no lock of its own.`
    : ''
  const diagnosis = describeDiagnosis(diagnoseResponse(response, lock.secret, nowSeconds)) + inherited
  const check = checkAuthenticationResponse(response, lock.secret, nowSeconds)
  if (!check.ok) return { valid: false, explanation: diagnosis }
  if (!check.isInOrder && refuses(HASH_FIRST))
    return { valid: false, explanation: `Refused: ${strictRefusal(HASH_FIRST)}.` }
  const viewer = check.parameters.get('user') ?? null
  const anonymous = viewer === null ? ' There is no parameter "user": the views will have no viewer_identifier.' : ''
  return { valid: true, viewer, expiresAtSeconds: check.expiresAtSeconds, explanation: diagnosis + anonymous }
}
