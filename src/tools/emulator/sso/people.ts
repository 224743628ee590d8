import { createHash } from 'node:crypto'

/** A person who can sign in at the provider. Only `username` and `name` are in every ID token. */
export interface TestPerson {
  /** The claim `preferred_username`. */
  readonly username: string
  readonly name: string
  /** The claim `groups`; `too-many` sends a reference in place of the list, as Entra ID does over 200 groups. */
  readonly groups?: readonly string[] | 'too-many'
  /** Further claims, such as `roles`, `email` and `email_verified`. They replace those of the same name. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Says on the sign-in page what this person shows. */
  readonly note?: string
}

/** The people of a provider that is started without people of its own. */
export const TEST_PEOPLE: readonly TestPerson[] = [
  person('ada', 'Ada Lovelace', { groups: ['staff', 'engineering'], note: 'in staff and engineering' }),
  person('grace', 'Grace Hopper', { groups: ['staff', 'producers'], note: 'in staff and producers' }),
  person('noor', 'Noor Haddad', { note: 'in no group' }),
  person('omar', 'Omar Diallo', { groups: 'too-many', note: 'in too many groups to list' }),
  person('vera', 'Vera Novak', { groups: ['staff'], note: 'email address not verified' }, { email_verified: false }),
]

/** Returns the scopes and their claims. All claims are in the ID token. */
export function claimsOfScopes(people: readonly TestPerson[]): Record<string, string[]> {
  const email = ['email', 'email_verified']
  const named = people.flatMap((one) => Object.keys(claimsOf(one)))
  const profile = new Set(
    ['groups', ...named].filter((name) => !['sub', '_claim_names', '_claim_sources', ...email].includes(name)),
  )
  return { openid: ['sub'], email, profile: [...profile] }
}

/** Returns all claims about a person. */
export function claimsOf({ username, name, groups, claims }: TestPerson): Record<string, unknown> {
  return {
    sub: subjectOf(username),
    preferred_username: username,
    name,
    ...(groups === 'too-many' ? groupsOverage(subjectOf(username)) : groups && { groups }),
    ...claims,
  }
}

/** Returns the claim `sub`, which says nothing about the person, as at real providers. */
export function subjectOf(username: string): string {
  return createHash('sha256').update(username).digest('base64url').slice(0, 22)
}

/** Returns the claims of Entra ID for a person in more than 200 groups: the address of the list, not the list. */
function groupsOverage(subject: string): Record<string, unknown> {
  const endpoint = `https://graph.windows.net/00000000-0000-0000-0000-000000000000/users/${subject}/getMemberObjects`
  return { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint } } }
}

function person(
  name: string,
  fullName: string,
  rest: Pick<TestPerson, 'groups' | 'note'>,
  claims: TestPerson['claims'] = {},
): TestPerson {
  const username = `${name}@lakeside.example`
  const employeeId = `E-${1000 + name.charCodeAt(0)}`
  const all = { email: username, email_verified: true, roles: ['viewer'], employee_id: employeeId, ...claims }
  return { username, name: fullName, ...rest, claims: all }
}
