import { type RestrictedPart, ZEBRA_POINT } from '../../../manager/restricted/world.ts'

export const codesRows: RestrictedPart = {
  settings: { accessCodes: 'on', accessCodeKey: '7f3e9d1c5b2a48067985a4b3c2d1e0ff' },
  prepare: async (_world, all) => {
    await all.get('/codes')
    for (const point of [ZEBRA_POINT, 'gold']) {
      const label = point === 'gold' ? 'GALA' : 'ZEBRA'
      await all.post(`/codes/${point}/create`, { label, count: '1' })
    }
  },
  forms: [
    {
      page: '/codes',
      post: '/codes/gold/create',
      typed: { label: 'GALA-2', count: '7', words: 'GALA', until: '30.11.2090' },
      wrong: { until: '31.02.2090' },
    },
  ],
  rows: [
    { route: 'get /codes', status: 200, shows: 'GALA' },
    { route: 'get /codes/:entryPoint/list', status: 200, shows: 'GALA-0001' },
    { route: 'get /codes/print', status: 303, shows: 'GALA' },
    { route: 'post /codes/:entryPoint/create', fields: { label: 'NEW', count: '1' }, status: 303, shows: 'NEW-0001' },
    { route: 'post /codes/:entryPoint/revoke', fields: { label: 'GALA' }, status: 303, shows: 'of GALA are revoked' },
  ],
}
