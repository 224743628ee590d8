import type { Request, Response } from 'express'
import { errorText, fill, type Language, languageOf, type Texts, textsOf } from '../../../languages/languages.ts'
import type { PlayerContext } from '../../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../../login/route-deps.ts'
import { assetAddress } from '../../../login/screens/assets.ts'
import { createPages, reasonOf } from '../../../login/screens/page.ts'
import type { Refusal } from '../../../login/screens/screens.ts'
import { pathOf, sendPage } from '../../../login/screens/send.ts'
import { compileView } from '../../../login/screens/views.ts'
import { eventNameOf } from '../../../services/event/service.ts'
import type { Openness } from '../book/registrations.ts'
import { PATHS } from '../form/paths.ts'
import { type FieldText, fieldText } from '../settings/field.ts'
import { type Ends, type Message, noticeOf } from './messages.ts'
import { faultText, rowOf, type StepState } from './rows.ts'

/** A form of the registration. */
interface FormState {
  readonly context: PlayerContext
  /** The path of the post, below the base path. */
  readonly path: string
  /** Values that the form carries. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly refusal?: Refusal | undefined
}

export interface AddressState extends FormState {
  /** As typed. */
  readonly address?: string
  readonly openness: Openness
  readonly ends: Ends
}

export interface CodeState extends FormState {
  /** Canonical. */
  readonly address: string
  /** The secret of the frame. */
  readonly secret: string
  /** True if mails are late at the moment. */
  readonly isLate?: boolean
}

/** `number` is the number of the step, from 1 on, and `of` the number of all steps. */
export interface FieldsState extends FormState, StepState {
  readonly number: number
  readonly of: number
}

interface Form {
  readonly rows: readonly object[]
  readonly button: string
  readonly progress?: string
  readonly notice?: string
  readonly alert?: string | null
  /** The form for another address, from a form that can ask for another code. */
  readonly otherAddress?: string
  /** For programs, besides that of a refusal. */
  readonly reason?: string
}

/** The screens of the registration at one entry point. */
export type RegistrationPages = ReturnType<typeof createRegistrationPages>

/** True if the viewer can correct the code or the address. */
const isFault = (refusal: Refusal | undefined) => refusal?.text.startsWith('mail-code.') === true

type PageDeps = Pick<EntryPointDeps, 'entryPoint' | 'headersFor' | 'screens'>
const TEMPLATE = 'registration/form'

export function createRegistrationPages(
  { entryPoint, headersFor, screens }: PageDeps,
  template = compileView(TEMPLATE),
) {
  const { brand, basePath } = entryPoint
  const pageIn = createPages(brand, assetAddress('icon.svg'))

  function sendForm(req: Request, res: Response, state: FormState, form: (language: Language, texts: Texts) => Form) {
    const { context, path, hidden = {}, refusal } = state
    const language = languageOf(req, brand.defaultLanguage)
    const texts = textsOf(language)
    const page = pageIn(language)
    const { title } = texts.registration
    const sentence = refusal === undefined ? null : errorText(language, refusal.text, refusal.values)
    const { progress = null, notice = null, alert = sentence, otherAddress = null, ...shown } = form(language, texts)
    const html = template({
      basePath,
      asset: assetAddress,
      page,
      texts,
      title,
      event: eventNameOf(entryPoint, language),
      path,
      hidden,
      progress,
      notice,
      alert,
      ...shown,
      otherAddress,
      pageTitle: alert === null ? title : fill(texts.titleWithError, { title }),
      fields: context.fields,
      reason: refusal ? reasonOf(refusal) : shown.reason,
    })
    sendPage(res, headersFor(context.address.origin), html, refusal)
  }
  return {
    sendAddress(req: Request, res: Response, state: AddressState): void {
      const { address = '', refusal, openness, ends } = state
      sendForm(req, res, state, (language, { registration }) => {
        const row = { kind: 'address', input: 'address', value: address, isWrong: isFault(refusal) }
        const notice = noticeOf(openness, ends, language)
        const reason = openness === 'open' ? {} : { reason: `registration-${openness}` }
        return { rows: [row], button: registration.sendCode, notice, ...reason }
      })
    },
    sendCode(req: Request, res: Response, { address, secret, isLate = false, ...state }: CodeState): void {
      const row = { kind: 'code', input: 'code', address, isLate, isWrong: isFault(state.refusal) }
      sendForm(req, res, { ...state, hidden: { address, secret } }, (_language, { registration }) => {
        const otherAddress = pathOf(basePath + PATHS.address, { ...state.context.fields, prompt: 'address' })
        return { rows: [row], button: registration.next, otherAddress }
      })
    },
    sendFields(req: Request, res: Response, state: FieldsState): void {
      const { step, number, of, faults } = state
      const refusal = faults.size === 0 ? state.refusal : ({ status: 400, text: 'registration.missing' } as const)
      sendForm(req, res, { ...state, refusal }, (language, texts) => {
        const textIn = (text: FieldText) => fieldText(text, language, brand.defaultLanguage)
        const { register, next } = texts.registration
        return {
          rows: step.map((field) => rowOf(field, state, textIn, texts)),
          button: number === of ? register : next,
          ...(of > 1 && { progress: `${number}/${of}` }),
          ...(faults.size > 0 && { alert: faultText(state, textIn, texts) }),
        }
      })
    },
    /** Shows a sentence in place of a form, with the link that helps in this state. */
    sendMessage(req: Request, res: Response, context: PlayerContext, explanation: Message): void {
      // The explanation replaces the words of the refusal.
      const refusal = { status: 200, text: 'cancelled' } as const
      screens.sendMessage(req, res, { title: 'notAllowed', refusal, explanation, link: { context, text: 'signIn' } })
    },
  }
}
