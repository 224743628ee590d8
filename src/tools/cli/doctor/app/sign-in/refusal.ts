import { parseFragment } from 'parse5'
import type { EntryPoint } from '../../../../../entry-points/entry-point.ts'
import { faultInValue } from '../../../../../hash-lock/authentication-response.ts'
import type { Viewer } from '../../../../../users/user-store.ts'
import { answerAt, type Causes, type DoctorConfig } from '../../feature-check.ts'
import { type Finding, failure } from '../../finding.ts'
import { guarded, isOwnPage, reasonOn } from '../../request.ts'
import refusals from './refusals.json' with { type: 'json' }
import type { StoredViewer, TestViewer } from './test-viewer.ts'

const ASK_LOG = 'The user store cannot be read from here: the line "sign-in" in the log of the app has the details.'
/** The form did not arrive as it was sent. */
const FORM_REASONS = ['empty-fields', 'unreadable-text', 'bad-form', 'too-large', 'wrong-type', 'bad-content']

interface Place {
  readonly config: DoctorConfig
  readonly entryPoint: EntryPoint
}

/** Names the cause of a refused test sign-in, from the reason that the screen gives to programs. */
export async function explainRefusal(
  address: string,
  place: Place,
  screen: Response,
  stored: StoredViewer,
  viewer: TestViewer,
): Promise<Finding> {
  const post = `POST ${viewer.form(place.entryPoint).path}`
  const ofFeatures = place.config.featureChecks.map(({ causes }) => causes)
  const causes: Causes = Object.assign({}, refusals, ...ofFeatures, viewer.causes)
  const finding = await causeOf(place, screen, stored, causes, post)
  return { ...finding, text: `The test viewer could not sign in at ${address}. ${finding.text}` }
}

async function causeOf(
  { config, entryPoint }: Place,
  screen: Response,
  stored: StoredViewer,
  causes: Causes,
  post: string,
): Promise<Finding> {
  const text = await screen.text()
  const given = reasonOn(text)
  if (given === undefined && screen.status >= 300 && screen.status < 400) {
    return failure(
      'post-redirected',
      `A proxy redirects ${post} (${screen.status}), and browsers then send no form. Let the proxy pass the request on.`,
    )
  }
  if (given === undefined && screen.status === 401) return guarded(post, screen.status)
  if (given === undefined) {
    return isOwnPage(text) ? formChanged(post, 'the same screen again') : notTheApp(post, screen.status)
  }
  const reason = given.replace(/-email$|-with-link$/, '')
  if (reason === 'wrong-credentials' && (await stored.isUnknown())) {
    return failure(
      'viewer-unknown',
      'The user store of these settings has no such viewer who may sign in. Correct the name, or add the viewer. If the store should have this viewer, check USER_STORE_URL.',
    )
  }
  const known = Object.hasOwn(causes, reason) ? causes[reason] : undefined
  if (known !== undefined) return failure(known.code, known.cause)
  if (reason === 'not-entitled') return explainNotEntitled(entryPoint.allowedGroups, await stored.read(), alertIn(text))
  if (reason === 'unusable-attribute') return explainAttribute(config, entryPoint, await stored.read(), alertIn(text))
  if (FORM_REASONS.includes(reason)) return formChanged(post, reason)
  return failure('refused', `The app answers ${screen.status} with the reason ${reason}. ${alertIn(text)}`)
}

export function notTheApp(post: string, status: number): Finding {
  return failure(
    'not-the-app',
    `The answer ${status} to ${post} does not come from the app. A proxy or a firewall answers instead. Let it pass the request on.`,
  )
}

export function formChanged(post: string, reason: string): Finding {
  return failure(
    'form-changed',
    `The form of ${post} does not reach the app as it was sent (${reason}). A proxy changes it. Correct the proxy.`,
  )
}

function explainNotEntitled(allowedGroups: EntryPoint['allowedGroups'], viewer: Viewer | null, alert: string): Finding {
  if (allowedGroups === null) return refusedByPolicy('ALLOWED_GROUPS is not set', alert)
  const needed = `Viewers need one of the allowed groups: ${allowedGroups.join(', ')}.`
  if (viewer === null) {
    return failure(
      'not-in-group',
      `${needed} This viewer has none of them, or your own access policy refuses. ${ASK_LOG}`,
    )
  }
  if (viewer.groups.some((group) => allowedGroups.includes(group))) {
    return refusedByPolicy('The viewer is in one of ALLOWED_GROUPS', alert)
  }
  const groups = viewer.groups.length === 0 ? 'in no group' : `only in ${viewer.groups.join(', ')}`
  return failure(
    'not-in-group',
    `${needed} This viewer is ${groups}. Upper and lower case count. Add the viewer to a group, or use another viewer.`,
  )
}

function explainAttribute(config: DoctorConfig, entryPoint: EntryPoint, viewer: Viewer | null, alert: string): Finding {
  const { parameters } = entryPoint
  const { setting, faultIn } = answerAt(config, entryPoint) ?? { setting: 'HASH_PARAMETERS', faultIn: faultInValue }
  const attributes = parameters.map(({ attribute }) => attribute).filter((attribute) => attribute !== 'username')
  if (viewer === null) {
    const named = attributes.join(', ') || 'username'
    return failure(
      'attribute-unusable',
      `The viewer lacks an attribute that ${setting} sends (${named}), or its value cannot be sent. ${ASK_LOG}`,
    )
  }
  const missing = attributes.filter((attribute) => !Object.hasOwn(viewer.attributes, attribute))
  if (missing.length > 0) {
    return failure(
      'attribute-missing',
      `The viewer has no attribute ${missing.join(', ')}, which ${setting} sends. Add it in the user store, or change ${setting}.`,
    )
  }
  const values = [['username', viewer.username], ...Object.entries(viewer.attributes)] as const
  const sent = values.filter(([name]) => parameters.some(({ attribute }) => attribute === name))
  for (const [name, value] of sent) {
    const fault = faultIn(value)
    if (fault !== null)
      return failure('attribute-unusable', `The attribute ${name} of the viewer ${fault}. Change it in the user store.`)
  }
  return refusedByPolicy(`The viewer has all attributes of ${setting}`, alert)
}

function refusedByPolicy(fact: string, alert: string): Finding {
  return failure(
    'policy-refuses',
    `${fact}, so your own access policy refuses the viewer, or the app runs with other settings. The screen says: "${alert}" Use another viewer, correct the policy, or restart the app.`,
  )
}

/** Returns what the screen says to the viewer. */
function alertIn(html: string): string {
  const [, alert = ''] = /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(html) ?? []
  const [text] = parseFragment(alert.replace(/<[^>]*>/g, '').trim()).childNodes
  return text !== undefined && 'value' in text ? text.value : ''
}
