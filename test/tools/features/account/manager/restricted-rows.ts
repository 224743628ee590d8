import type { RestrictedPart } from '../../../manager/restricted/world.ts'

const PAGE = '/mails/gold/invitation'
const TEXT = '/mails/:entryPoint/invitation'

export const accountRows: RestrictedPart = {
  forms: [
    { page: PAGE, post: PAGE, typed: { text: 'We vote.' }, wrong: { seen: 'an earlier text' } },
    { page: '/people', post: '/people/invite', typed: { group: 'zebra' }, wrong: {} },
  ],
  rows: [
    { route: 'post /people/one/:name/send-link', status: 303, shows: 'waits for the mail server' },
    { route: `get ${TEXT}`, status: 200, shows: 'Invitation to gold' },
    { route: `post ${TEXT}/sample`, fields: { text: 'We vote.' }, status: 200, shows: 'not saved yet' },
    { route: `post ${TEXT}`, fields: { text: 'We vote.', seen: '' }, status: 303, shows: 'The text is saved' },
    {
      route: `post ${TEXT}`,
      fields: { text: 'We sing.', seen: 'an earlier text' },
      status: 409,
      shows: 'Nothing was saved',
    },
  ],
}
