import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import type { DoctorConfig, FeatureForms } from '../feature-check.ts'
import { type Finding, failure, findingOf } from '../finding.ts'
import { isOwnPage, postForm, reasonOn, requestFrame } from '../request.ts'
import { fieldsOf } from './screen.ts'
import { checkForms } from './screen-parts.ts'
import { formChanged, notTheApp } from './sign-in/refusal.ts'

type Options = Readonly<Record<string, unknown>>

/** Checks that the forms of all features reach the app: a proxy may change the screen of one, or answer its path. */
export async function* checkFeatureForms(
  config: DoctorConfig,
  options: Options,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  for (const entryPoint of config.entryPoints) {
    for (const forms of config.featureChecks.flatMap((feature) => feature.forms ?? [])) {
      if (!forms.isAt(entryPoint)) continue
      for await (const finding of checkFormsOf(config, entryPoint, forms, options, signal)) {
        yield findingOf(config, entryPoint, finding)
      }
    }
  }
}

async function* checkFormsOf(
  config: DoctorConfig,
  entryPoint: EntryPoint,
  { first, paths }: FeatureForms,
  options: Options,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const own = fieldsOf(config, entryPoint)
  const posts = paths.map((path) => ({ path, fields: own }))
  if (first) {
    const { at } = first
    const { origin } = config.publicUrl
    const url = new URL(at.startsWith('/') ? origin + entryPoint.basePath + at : addressOf(config, entryPoint) + at)
    for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value)
    const screen = await requestFrame(url.href, signal)
    // The checks of the app report a screen that does not come.
    const html = screen instanceof Response && screen.status === 200 ? await screen.text() : null
    if (html !== null) yield* checkForms(url.href, html, entryPoint, first)
    const [field = '', option = ''] = first.typed ?? []
    const text = options[option]
    if (typeof text === 'string') posts.unshift({ path: first.path, fields: { ...own, [field]: text } })
  }
  for (const { path, fields } of posts) {
    const answer = await postForm(config, entryPoint, path, fields, signal)
    const fault = answer instanceof Response ? await faultOf(`POST ${path}`, answer, fields !== own) : answer
    // The next path fails for the same cause.
    if (fault !== null) return yield fault
  }
}

async function faultOf(post: string, answer: Response, isTyped: boolean): Promise<Finding | null> {
  const html = await answer.text()
  if (!isOwnPage(html)) return notTheApp(post, answer.status)
  const reason = reasonOn(html) ?? 'unknown'
  if (answer.status < 500) return isTyped && answer.status === 400 ? formChanged(post, reason) : null
  const text = `${post} answers ${answer.status} (${reason}): a store that it needs does not answer. See the log of the app.`
  return failure('store-away', text)
}
