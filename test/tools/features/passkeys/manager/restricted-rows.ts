import type { RestrictedPart } from '../../../manager/restricted/world.ts'

const ADD = '/account/passkeys/add'

export const passkeysRows: RestrictedPart = {
  forms: [{ page: '/account', post: ADD, typed: { label: 'my laptop' }, wrong: {} }],
  rows: [
    { route: `post ${ADD}`, fields: { label: 'zebra' }, status: 303, shows: 'open for too long' },
    { route: 'post /account/passkeys/remove', fields: { passkey: 'zebra' }, status: 303, shows: 'removed already' },
  ],
}
