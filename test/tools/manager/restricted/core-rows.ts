import { features } from '../../../../src/tools/features.ts'
import { versionOf } from '../../../../src/tools/manager/people/viewer-form.ts'
import { GOLD, type RestrictedPart, ZEBRA } from './world.ts'

const ONE = '/people/one/:name'
const UNLOCK = 'post /evening/unlock-address'
const NEW = '/people/add'
const ADD = `post ${NEW}`
const MANY = 'post /people/many'
const IMPORT = 'post /people/import'
const NEEDS_GROUP = 'Needs a group that you manage: gold'
const EVENING = 'channel=1&from=2026-11-24T20:00&to=2026-11-24T22:00'
const REPORT = Object.fromEntries(new URLSearchParams(EVENING))
const ONLY_ALL = 'Only managers of all entry points see its reports'
const GROUPS_REFUSED = 'Give a group that you manage: gold.'
const EDIT = { version: versionOf({ username: GOLD, groups: ['gold'], attributes: {} }) }
const LIST_CHANGED = 'The list has changed'

const hasEnds = features.some(({ name }) => name === 'account-end')
const ACCOUNT = { groups: 'gold, press', attributes: 'a=b', ...(hasEnds && { until: '30.11.2026 20:15' }) }
const wrongEnd = (until: string) => (hasEnds ? { wrong: { until } } : {})

const PERSON = `/people/one/${encodeURIComponent(GOLD)}`

/** The rows of the page itself. */
export const core: RestrictedPart = {
  forms: [
    { page: NEW, post: NEW, typed: { ...ACCOUNT, username: 'bob', groups: 'gold' }, ...wrongEnd('31.02.2026') },
    { page: PERSON, post: `${PERSON}/edit`, typed: { ...EDIT, ...ACCOUNT }, ...wrongEnd('2026-02-31') },
    { page: PERSON, post: `${PERSON}/rename`, typed: { newName: 'eve@gold.example' }, wrong: { newName: ZEBRA } },
    { page: '/people/import', post: '/people/import', typed: { cells: 'Email,bis' }, isUpload: true },
  ],
  rows: [
    { route: 'get /', status: 303, shows: GOLD },
    { route: 'get /account', status: 200, shows: 'name="newPassword"' },
    { route: 'post /account', fields: { password: 'wrong' }, status: 401, shows: 'name="newPassword"' },
    { route: 'get /evening', status: 200, shows: GOLD },
    { route: 'get /evening/in', status: 200, shows: GOLD },
    { route: 'get /evening/in', fields: { text: 'zebra' }, status: 200, shows: 'No one' },
    { route: 'get /evening/in', fields: { show: 'missing' }, status: 200, shows: 'No one is missing' },
    { route: 'get /evening/stream', status: 200, shows: GOLD },
    // The limit of an address is one for all entry points.
    { route: UNLOCK, fields: { address: '203.0.113.77' }, status: 303, shows: 'cannot be unlocked from here' },
    { route: 'get /people', status: 200, shows: '1 in all' },
    { route: 'get /people', fields: { text: 'zebra', group: 'zebra' }, status: 200, shows: '0 in all' },
    { route: 'get /people/find', fields: { name: GOLD }, status: 303, shows: GOLD },
    { route: 'get /people/find', fields: { name: ZEBRA }, status: 303, shows: 'Page not found' },
    { route: 'get /people/add', status: 200, shows: 'gold' },
    { route: ADD, fields: { username: 'bob', groups: 'gold' }, status: 303, shows: 'bob was added' },
    { route: ADD, fields: { username: 'bob', groups: 'zebra' }, status: 400, shows: GROUPS_REFUSED },
    { route: ADD, fields: { username: 'bob', groups: 'gold, zebra' }, status: 400, shows: GROUPS_REFUSED },
    { route: ADD, fields: { username: 'bob', groups: '' }, status: 400, shows: GROUPS_REFUSED },
    { route: ADD, fields: { username: ZEBRA, groups: 'gold' }, status: 400, shows: 'already exists' },
    { route: 'get /people/many', fields: { work: 'remove', all: 'on' }, status: 200, shows: 'value="1"' },
    { route: MANY, fields: { work: 'disable', all: 'on', count: '1' }, status: 303, shows: '1 person is blocked' },
    { route: MANY, fields: { work: 'remove', all: 'on', count: '2' }, status: 303, shows: LIST_CHANGED },
    { route: MANY, fields: { work: 'disable', name: ZEBRA, count: '1' }, status: 303, shows: LIST_CHANGED },
    { route: 'post /people/invite', fields: { group: 'zebra' }, status: 303, shows: GROUPS_REFUSED },
    { route: 'get /people/import', status: 200, shows: 'type="file"' },
    { route: IMPORT, sheet: 'Email,Group\nbob@gold.example,gold\n', status: 303, shows: 'Import 1 person' },
    { route: IMPORT, sheet: `Email,Group\n${ZEBRA},gold\n`, status: 303, shows: NEEDS_GROUP },
    { route: IMPORT, sheet: 'Email,Group\nbob,zebra\n', status: 303, shows: NEEDS_GROUP },
    { route: 'get /people/import/preview', status: 303, shows: 'type="file"' },
    { route: 'post /people/import/confirm', status: 303, shows: 'type="file"' },
    { route: 'post /people/import/cancel', status: 303, shows: '1 in all' },
    { route: `get ${ONE}`, status: 200, shows: GOLD },
    { route: `post ${ONE}/edit`, fields: { ...EDIT, groups: 'gold, ' }, status: 303, shows: 'The changes are saved' },
    { route: `post ${ONE}/edit`, fields: { ...EDIT, groups: 'gold, zebra' }, status: 303, shows: GROUPS_REFUSED },
    { route: `post ${ONE}/edit`, fields: { ...EDIT, groups: '' }, status: 303, shows: GROUPS_REFUSED },
    { route: `post ${ONE}/rename`, fields: { newName: 'eve@gold.example' }, status: 303, shows: 'is called eve@gold' },
    { route: `post ${ONE}/rename`, fields: { newName: ZEBRA }, status: 303, shows: 'already exists' },
    { route: `post ${ONE}/disable`, status: 303, shows: 'is blocked' },
    { route: `post ${ONE}/enable`, status: 303, shows: 'can log in' },
    { route: `post ${ONE}/send-link`, status: 303, shows: GOLD },
    { route: `post ${ONE}/end-sessions`, status: 303, shows: GOLD },
    { route: `post ${ONE}/put-out`, status: 303, shows: 'is blocked and logged out' },
    { route: `get ${ONE}/remove`, status: 200, shows: GOLD },
    { route: `post ${ONE}/remove`, status: 303, shows: 'removed' },
    { route: `post ${ONE}/forget`, status: 303, shows: 'is forgotten' },
    { route: `post ${ONE}/export`, status: 200, shows: GOLD },
    { route: `post ${ONE}/unlock`, status: 303, shows: GOLD },
    { route: 'get /after', status: 200, shows: ONLY_ALL },
    ...['attendance', 'attendance.csv', 'views', 'views.csv'].map((name) => ({
      route: `get /after/${name}`,
      fields: REPORT,
      status: 200,
      shows: ONLY_ALL,
    })),
    { route: 'post /event', fields: { entryPoint: 'gold', back: '/acts' }, status: 303, shows: 'chose an event' },
    { route: 'post /event', fields: { entryPoint: 'zebra', back: '/acts' }, status: 303, shows: 'chose an event' },
    { route: 'get /acts', status: 200, shows: 'event-manager@example.com' },
  ],
}

/** The routes of all people, with or without a session. */
export const OPEN_ROUTES: readonly string[] = [
  'get /health/live',
  'get /sign-in',
  'post /sign-in',
  'get /second-step',
  'post /second-step',
  'post /sign-out',
]
