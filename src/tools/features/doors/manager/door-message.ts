import { type Brand, titleIn, UNBRANDED } from '../../../../brand/brand.ts'
import { type DoorSettings, DoorsMessage, MOST_MESSAGE_CHARACTERS } from '../../../../features/doors/fields.ts'
import { LANGUAGES } from '../../../../languages/languages.ts'
import { outcomeOf } from '../../../cli/terminal/command.ts'
import { isConfirmed } from '../../../cli/terminal/confirm.ts'
import {
  type Answer,
  EDITORS,
  get,
  type Notice,
  page,
  post,
  redirect,
  sentenceOf,
  type Visit,
} from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import type { Typed } from '../../../manager/pages/typed-times.ts'
import type { SectionDeps } from '../../../manager/section.ts'
import { type DoorChange, movableDoors, moveDoors } from '../move-doors.ts'

type Message = DoorSettings['message']

/** The message to viewers who come early: a form with a field for each language. */
export function messageRoutes(deps: SectionDeps) {
  const path = '/doors/:entryPoint/message'
  return [
    get(path, EDITORS, (visit) => show(deps, visit)),
    post(path, EDITORS, 'doors-message', (visit) => change(deps, visit)),
  ]
}

/** @param refused why the form is refused. */
function show(deps: SectionDeps, visit: Visit, refused?: Pick<Notice, 'text' | 'values' | 'notes'>): Answer {
  const { words, typed, part } = visit
  const name = part('entryPoint')
  const { brand, message } = messageAt(deps, name)
  const nameOf = new Intl.DisplayNames(words.language, { type: 'language' })
  const texts = textsIn(message, brand)
  const seen = JSON.stringify(message)
  const languages = [brand.defaultLanguage, ...LANGUAGES.filter((one) => one !== brand.defaultLanguage)]
  const model = {
    title: words.t.doors.message,
    current: '/doors',
    name,
    seen: refused?.text === 'doors.messageChanged' ? seen : typed('seen', seen),
    isSet: message !== null,
    mostCharacters: MOST_MESSAGE_CHARACTERS,
    fields: languages.map((one) => {
      return { name: fieldOf(one), label: nameOf.of(one), text: typed(fieldOf(one), texts[one] ?? '') }
    }),
    ...(refused && { notice: { tone: 'refused', ...refused } }),
  }
  return page('doors-message', model, refused ? 409 : 200)
}

/** Sets the message that was typed, or ends it if nothing was. Refuses a form of an earlier message. */
async function change(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { env, nowSeconds } = deps
  const { words, field, part } = visit
  const name = part('entryPoint')
  const { brand, message: before } = messageAt(deps, name)
  if (field('seen') !== JSON.stringify(before)) return show(deps, visit, { text: 'doors.messageChanged' })
  const typed = typedMessage(visit, brand)
  if (!typed.ok) return show(deps, visit, typed.fault)
  const result = await outcomeOf(async () => {
    const found = movableDoors(env, name, nowSeconds())
    return found.ok ? await moveDoors(env, found.data, typed.value, isConfirmed, nowSeconds()) : found
  })
  if (!result.ok) {
    return show(deps, visit, { text: 'doors.refused', values: { entryPoint: name }, notes: [sentenceOf(result)] })
  }
  const { message: after = null } = typed.value
  const message = titleIn(after, words.language, brand)
  const texts = Object.entries(textsIn(before, brand)).map(([one, text]) => [fieldOf(one), text])
  const undo = {
    action: pathOf(['doors', name, 'message']),
    fields: { ...Object.fromEntries(texts), seen: JSON.stringify(after) },
  }
  return redirect('/doors', {
    tone: 'done',
    text: message === null ? 'doors.messageEnded' : 'doors.messageSet',
    values: { entryPoint: name, message: message ?? '' },
    undo,
  })
}

function messageAt({ entryPoints }: SectionDeps, name: string) {
  const entryPoint = entryPoints()?.find((one) => one.name === name)
  const doors = entryPoint?.features.doors as DoorSettings | undefined
  return { brand: entryPoint?.brand ?? UNBRANDED, message: doors?.message ?? null }
}

const fieldOf = (language: string) => `message-${language}`

/** Returns the texts by language. That of the default language is for all languages without their own. */
function textsIn(message: Message, { defaultLanguage }: Brand): Readonly<Record<string, string>> {
  return typeof message === 'string' ? { [defaultLanguage]: message } : (message ?? {})
}

function typedMessage({ field }: Visit, { defaultLanguage }: Brand): Typed<DoorChange> {
  const given = LANGUAGES.filter((one) => field(fieldOf(one)).trim() !== '')
  if (given.length === 0) return { ok: true, value: { message: null } }
  const texts = Object.fromEntries(given.map((one) => [one, field(fieldOf(one))]))
  const isOne = given.every((one) => one === defaultLanguage)
  const read = DoorsMessage.safeParse(isOne ? texts[defaultLanguage] : JSON.stringify(texts))
  const fault = { text: 'doors.badMessage', values: { count: MOST_MESSAGE_CHARACTERS } }
  return read.success ? { ok: true, value: { message: read.data } } : { ok: false, fault }
}
