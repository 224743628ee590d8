import type { RestrictedPart } from '../../manager/restricted/world.ts'

const DESK = { name: 'desk@gold.example', role: 'reader', entryPoint: 'zebra-point' }

export const colleaguesRows: RestrictedPart = {
  open: ['get /join', 'post /join'],
  forms: [{ page: '/colleagues', post: '/colleagues/invite', typed: { name: DESK.name }, wrong: { name: 'desk' } }],
  rows: [
    { route: 'get /colleagues', status: 200, shows: 'Invite a colleague' },
    { route: 'post /colleagues/invite', fields: DESK, status: 303, shows: 'events that you have yourself' },
    { route: 'post /colleagues/withdraw', fields: { link: 'zebra' }, status: 303, shows: 'was used, or has ended' },
    {
      route: 'post /colleagues/reset',
      fields: { colleague: 'zebra-boss' },
      status: 303,
      shows: 'cannot be reset here',
    },
  ],
}
