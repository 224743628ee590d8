import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { languageOf } from '../../../languages/languages.ts'
import { tooManyTries } from '../../../login/check-credentials.ts'
import { deviceOf } from '../../../login/log/device.ts'
import { requestIdOf } from '../../../login/log/sign-in-log.ts'
import { readPost } from '../../../login/posts.ts'
import { type PlayerContext, readPlayerContext } from '../../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../../login/route-deps.ts'
import { parseMailAddress } from '../../../services/guests/mail-address.ts'
import { WRONG_CODE } from '../../../services/mail-code/code.ts'
import type { CodeCookie } from '../../../services/mail-code/code-cookie.ts'
import type { MailCodes } from '../../../services/mail-code/mail-codes.ts'
import type { Registrations } from '../book/registrations.ts'
import { PATHS } from '../form/paths.ts'
import { sendAddressForm } from './address-form.ts'
import { type FillDeps, goOn, showOwn } from './fill.ts'

export interface RegisterDeps extends FillDeps {
  readonly registrations: Registrations
  readonly codes: MailCodes
  readonly cookie: CodeCookie
  readonly addressOf: EntryPointDeps['addressOf']
}

/** The fields of the address form and of the code form. A repeated field is an array, and is refused. */
const AddressFields = z
  .object({
    /** As typed. */
    address: z.string().max(400).catch(''),
    /** The secret of the frame, in the form for the address. */
    start: z.string().max(100).optional().catch(undefined),
    /** The secret of the frame, after the first code. */
    secret: z.string().max(100).optional().catch(undefined),
    code: z.string().max(40).optional().catch(undefined),
    /** Present if the guest wants another code. */
    again: z.string().optional().catch(undefined),
  })
  .catch({ address: '' })

/** Shows the form for the address, or the form for the code that this browser left. Says at once if no place is free, or the registration is closed. */
export function getAddress(deps: RegisterDeps): RequestHandler {
  return async function getAddressForm(req, res) {
    const reading = readPlayerContext(req.query, deps.answer)
    if (!reading.ok) return deps.refusals.badContext(req, res, reading)
    const { context } = reading
    const left = req.query.prompt === undefined ? deps.cookie.read(req) : null
    if (left !== null) return deps.pages.sendCode(req, res, { context, path: PATHS.code, ...left })
    await sendAddressForm(deps, req, res, context)
  }
}

/** Sends a code to the typed address. The answer is the same for every address, registered or not. */
export function postAddress(deps: RegisterDeps): RequestHandler {
  return async function postAddressForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    await sendCode(deps, req, res, context)
  }
}

/** Checks the code. The person then sees their registration, or the first step of the form. */
export function postCode(deps: RegisterDeps): RequestHandler {
  const { codes, cookie, pages, addressOf, nowSeconds, logSignIn } = deps
  return async function postCodeForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const { address: typed, secret, code, again } = AddressFields.parse(req.body)
    const address = addressIn(deps, typed)
    if (address === null || secret === undefined) return await sendAddressForm(deps, req, res, context)
    if (again !== undefined) return await sendCode(deps, req, res, context)
    deps.answer.assertCapacity()
    const use = await codes.use({ secret, address, code, clientAddress: addressOf(req) })
    if (use.ok) {
      await deps.sessions.nameForm(req, secret, address)
      cookie.clear(req, res)
      const known = await deps.registrations.find(address)
      if (known !== null) return await showOwn(deps, req, res, context, known)
      const form = { address, answers: {}, step: 0, provenAtSeconds: nowSeconds() }
      return await goOn(deps, req, res, context, { form, secret })
    }
    const isLimit = 'limit' in use
    if (isLimit) logSignIn(req, { outcome: 'held-back', limit: use.limit, viewer: address })
    else logSignIn(req, { outcome: 'registration-wrong-code', viewer: address, reason: use.reason })
    const refusal = isLimit
      ? tooManyTries(use.retryAfterSeconds)
      : ({ status: 401, text: WRONG_CODE[use.reason] } as const)
    pages.sendCode(req, res, { context, path: PATHS.code, address, secret, refusal })
  }
}

async function sendCode(deps: RegisterDeps, req: Request, res: Response, context: PlayerContext): Promise<void> {
  const { codes, cookie, entryPoint, pages, addressOf, logSignIn } = deps
  const { address: typed, secret: given, start } = AddressFields.parse(req.body)
  const address = addressIn(deps, typed)
  if (address === null) {
    const refusal = { status: 400, text: 'mail-code.badAddress' } as const
    return await sendAddressForm(deps, req, res, context, { refusal, address: typed })
  }
  const language = languageOf(req, entryPoint.brand.defaultLanguage)
  const request = {
    address,
    secret: given ?? start,
    isFirst: given === undefined,
    language,
    device: deviceOf(req),
    requestId: requestIdOf(req),
  }
  const asked = await codes.ask({ ...request, clientAddress: addressOf(req) })
  if (asked.ok) {
    cookie.keep(res, { secret: asked.secret, address })
    logSignIn(req, { outcome: 'registration-code', viewer: address })
    return pages.sendCode(req, res, { context, path: PATHS.code, address, secret: asked.secret, isLate: asked.isLate })
  }
  const refusal = tooManyTries(asked.retryAfterSeconds)
  logSignIn(req, { outcome: 'held-back', limit: asked.limit, viewer: address })
  if (given === undefined) return await sendAddressForm(deps, req, res, context, { refusal, address })
  pages.sendCode(req, res, { context, path: PATHS.code, address, secret: given, refusal })
}

/** Returns the canonical address. Null if it is wrong, or cannot be the name of a viewer for the player. */
function addressIn({ entryPoint, answer }: Pick<RegisterDeps, 'entryPoint' | 'answer'>, typed: string): string | null {
  const address = parseMailAddress(typed)
  const isSent = entryPoint.parameters.some(({ attribute }) => attribute === 'username')
  return address === null || (isSent && answer.faultIn(address) !== null) ? null : address
}
