import type { RestrictedPart } from '../../../manager/restricted/world.ts'

const OPENS = Date.parse('2090-11-24T20:00:00Z') / 1000
const act = (name: string) => `post /doors/:entryPoint/${name}`
const SHOWS = 'The times of gold are changed'

export const doorsRows: RestrictedPart = {
  settings: { opensAt: '2090-11-24T20:00:00Z', closesAt: '2090-11-24T22:00:00Z' },
  rows: [
    { route: 'get /doors', status: 200, shows: 'gold' },
    { route: act('open'), status: 303, shows: 'gold' },
    { route: act('close'), status: 303, shows: 'gold' },
    { route: act('move'), fields: { minutes: '15', opensAt: String(OPENS) }, status: 303, shows: SHOWS },
    { route: act('set'), fields: { opens: '2090-11-24T19:00' }, status: 303, shows: SHOWS },
  ],
}
