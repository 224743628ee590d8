import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { ConfigError, UpstreamError } from '../../../../errors.ts'
import { endOf, readSubject } from '../../../../features/access-codes/codes/code-records.ts'
import { accessCodesOf } from '../../../../features/access-codes/fields.ts'
import { accessCodeGuests } from '../../../../features/access-codes/guest-way.ts'
import type { loggedEvents } from '../../../cli/security-log/logged-events.ts'
import type { KnownPerson } from '../../../cli/viewers/show-command.ts'
import type { OtherWay, WayDeps } from '../../../manager/people/other-ways.ts'
import { withCodes } from '../open-codes.ts'

type LoggedFields = Awaited<ReturnType<typeof loggedEvents>>['fields']

const MOST_CODES = 20

/** An access code with which the person signed in before, and which is still valid. */
export const codeWay: OtherWay = { name: accessCodeGuests.words, isOpenTo }

async function isOpenTo(person: KnownPerson, entryPoint: EntryPoint, { env, nowSeconds }: WayDeps): Promise<boolean> {
  const subjects = guestSubjects(person)
    .filter((subject) => readSubject(subject)?.entryPoint === entryPoint.name)
    .slice(0, MOST_CODES)
  if (subjects.length === 0 || accessCodesOf(entryPoint) === null) return false
  try {
    return await withCodes({ env }, entryPoint.name, async ({ codes }) => {
      const known = await Promise.all(subjects.map((subject) => codes.ofSubject(subject)))
      return known.some((one) => one !== null && endOf(one, nowSeconds()) === null)
    })
  } catch (error) {
    // The codes cannot be read here or now: the sign-in before is all that is known.
    if (error instanceof ConfigError || error instanceof UpstreamError) return true
    throw error
  }
}

/** Returns the subjects with which a person is or was signed in by an access code, the newest first. */
function guestSubjects({ sessions, lastSignIn }: KnownPerson): string[] {
  const last = lastSignIn as LoggedFields['lastSignIn'] | undefined
  const ofLast = last?.guestWayIn === accessCodeGuests.words ? (last.subject ?? []) : []
  const ofSessions = (sessions ?? []).flatMap(({ guest }) =>
    guest?.wayIn === accessCodeGuests.words ? guest.subject : [],
  )
  return [...new Set([ofLast, ofSessions].flat())]
}
