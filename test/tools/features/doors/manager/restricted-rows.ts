import type { RestrictedPart } from '../../../manager/restricted/world.ts'

const OPENS = Date.parse('2090-11-24T20:00:00Z') / 1000
const act = (name: string) => `post /doors/:entryPoint/${name}`
const MOVED = 'The app takes the times'
/** The times that the page showed: those of the settings. */
const seen = `${OPENS}/${OPENS + 7_200}`

export const doorsRows: RestrictedPart = {
  settings: { opensAt: '2090-11-24T20:00:00Z', closesAt: '2090-11-24T22:00:00Z' },
  forms: [
    {
      page: '/doors',
      post: '/doors/gold/set',
      typed: { seen, opens: '24/11/2090 19:00', closes: '24.11.2090 23:00' },
      wrong: { opens: 'soon' },
    },
    {
      page: '/doors/gold/message',
      post: '/doors/gold/message',
      typed: { seen: 'null', 'message-en': 'At 20:15', 'message-de': 'Um 20:15' },
      wrong: { 'message-en': 'x'.repeat(101) },
    },
  ],
  rows: [
    { route: 'get /doors', status: 200, shows: 'gold' },
    { route: act('open'), fields: { seen }, status: 303, shows: MOVED },
    { route: act('close'), fields: { seen }, status: 409, shows: 'gold' },
    { route: act('move'), fields: { seen, minutes: '15' }, status: 303, shows: MOVED },
    { route: act('set'), fields: { seen, opens: '2090-11-24T19:00' }, status: 303, shows: MOVED },
    { route: 'get /doors/:entryPoint/message', status: 200, shows: 'gold' },
    { route: act('message'), fields: { seen: 'null', 'message-en': 'At 20:15' }, status: 303, shows: 'At 20:15' },
  ],
}
