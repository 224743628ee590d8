import type { Request, RequestHandler, Response } from 'express'
import { languageOf } from '../../../languages/languages.ts'
import { readPost } from '../../../login/posts.ts'
import type { PlayerContext } from '../../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../../login/route-deps.ts'
import { sendToPlayer } from '../../../login/send-to-player.ts'
import type { Registration } from '../book/registration.ts'
import type { Registrations } from '../book/registrations.ts'
import { attributesOf, type FormRules, openStep, readStep, stepsOf } from '../form/form.ts'
import { PATHS } from '../form/paths.ts'
import type { FormSeal, SealedForm } from '../form/sealed-form.ts'
import { guestOf } from '../guest.ts'
import { messageOfShut, messageOfState } from '../screens/messages.ts'
import type { RegistrationPages } from '../screens/pages.ts'
import type { StepState } from '../screens/rows.ts'
import type { RegistrationSettings } from '../settings/settings.ts'
import { sendAddressForm } from './address-form.ts'

export interface FillDeps extends EntryPointDeps {
  readonly settings: RegistrationSettings
  readonly registrations: Registrations
  readonly formSeal: FormSeal
  readonly pages: RegistrationPages
  readonly sessionSeconds: number
}

/** A form under way, and the secret of its frame. */
export interface OpenForm {
  readonly form: SealedForm
  readonly secret: string
}

/** A second press within this time still leads to the player. A form from the history of a browser does not. */
const SAME_PRESS_SECONDS = 10

/** Reads one step of the form, and shows the next, or registers the guest. */
export function postFields(deps: FillDeps): RequestHandler {
  const { formSeal, settings, logSignIn } = deps
  return async function postFieldsForm(req, res) {
    const context = readPost(deps, req, res)
    if (context === null) return
    const { form: sealed, secret }: { form?: unknown; secret?: unknown } = req.body ?? {}
    const form = formSeal.open(sealed, secret)
    if (form === null || typeof secret !== 'string') {
      const reason = 'the form is altered, too old or from elsewhere'
      logSignIn(req, { outcome: 'refused-request', status: 400, reason })
      return await sendAddressForm(deps, req, res, context, { refusal: { status: 400, text: 'registration.expired' } })
    }
    const step = stepsOf(settings.fields)[form.step] ?? []
    const reading = readStep(step, req.body ?? {}, rulesOf(deps))
    if (reading.faults.size > 0) return sendStep(deps, req, res, context, { form, secret }, reading)
    await deps.sessions.nameForm(req, secret, form.address)
    const answers = { ...form.answers, ...reading.answers }
    await goOn(deps, req, res, context, { form: { ...form, answers }, secret })
  }
}

/** Shows the first step that is open, or registers the guest if the form is complete. */
export async function goOn(
  deps: FillDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  { form, secret }: OpenForm,
): Promise<void> {
  const { settings, registrations, pages, nowSeconds, entryPoint, logSignIn } = deps
  const openness = await registrations.openness()
  const step = openStep(stepsOf(settings.fields), form.answers, rulesOf(deps))
  const { address, answers } = form
  if (step !== null && (openness === 'open' || openness === 'waiting-list')) {
    return sendStep(deps, req, res, context, { form: { ...form, step }, secret }, { typed: answers, faults: new Map() })
  }
  if (step !== null) return showShut(deps, req, res, context, address, openness === 'full' ? 'full' : 'closed')
  const given = settings.fields.flatMap((field) => (field.kind === 'consent' ? field : []))
  const consents = given.filter(({ name }) => answers[name] !== '')
  const result = await registrations.register({
    address,
    attributes: attributesOf(settings.fields, answers),
    consents: consents.map(({ name, version }) => ({ name, version, atSeconds: nowSeconds() })),
    language: languageOf(req, entryPoint.brand.defaultLanguage),
  })
  if (!result.ok) return showShut(deps, req, res, context, address, result.reason)
  const { registration, isNew } = result
  if (isNew) logSignIn(req, { outcome: 'registered', viewer: address, reason: registration.state })
  const isThisPress = nowSeconds() - registration.registeredAtSeconds < SAME_PRESS_SECONDS
  if (isNew || isThisPress) return await showOwn(deps, req, res, context, registration)
  pages.sendMessage(req, res, context, messageOfState(registration.state, entryPoint))
}

/**
 * Leads the guest to the player, or says in which state the registration is.
 * @param registration of the address, which this person has just proven.
 */
export async function showOwn(
  deps: FillDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  registration: Registration,
): Promise<void> {
  const { sessions, settings, pages, nowSeconds, sessionSeconds, entryPoint, logSignIn } = deps
  const { address, state } = registration
  if (state !== 'approved') {
    logSignIn(req, { outcome: 'registration-state', viewer: address, reason: state })
    return pages.sendMessage(req, res, context, messageOfState(state, entryPoint))
  }
  const { viewer, identity } = guestOf(registration, settings, nowSeconds() + sessionSeconds)
  const openSession = () => sessions.start(req, res, viewer, identity)
  await sendToPlayer(deps, req, res, { viewer, context, outcome: 'signed-in', identity, openSession })
}

function showShut(
  { pages, settings, entryPoint, logSignIn }: FillDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  viewer: string,
  reason: 'full' | 'closed',
): void {
  logSignIn(req, { outcome: 'registration-shut', viewer, reason })
  pages.sendMessage(req, res, context, messageOfShut(reason, settings, entryPoint))
}

function sendStep(
  deps: FillDeps,
  req: Request,
  res: Response,
  context: PlayerContext,
  { form, secret }: OpenForm,
  reading: Pick<StepState, 'typed' | 'faults'>,
): void {
  const steps = stepsOf(deps.settings.fields)
  const step = steps[form.step] ?? []
  const hidden = { secret, form: deps.formSeal.seal(form, secret) }
  const state = { step, number: form.step + 1, of: steps.length, rules: rulesOf(deps), ...reading }
  deps.pages.sendFields(req, res, { context, path: PATHS.fields, hidden, ...state })
}

/** Returns the rules of the player, which apply to the attributes that it gets. */
function rulesOf({ entryPoint, answer }: Pick<FillDeps, 'entryPoint' | 'answer'>): FormRules {
  return {
    isSent: (name) => entryPoint.parameters.some(({ attribute }) => attribute === name),
    canSend: (value) => answer.faultIn(value) === null,
  }
}
