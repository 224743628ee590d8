import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineFeature } from '../../../src/login/feature.ts'
import { readPlayerContext } from '../../../src/login/request/player-context.ts'
import { sendToPlayer } from '../../../src/login/send-to-player.ts'
import { guestIdentity, guestSubjectOf, MAIL_ISSUER } from '../../../src/services/guests/guest-identity.ts'
import { guests } from '../../../src/services/guests/service.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { cookieIn } from '../../login/signed-in.ts'
import { ADA, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

/** A feature that lets everyone in as a guest with the name of Ada, and remembers it. */
const openDoor = defineFeature({
  name: 'open-door',
  needs: { guests },
  read: () => null,
  open({ guests: { records } }) {
    return Promise.resolve({
      at: () => ({
        acceptsSession: (viewer) => guestSubjectOf(viewer, MAIL_ISSUER) !== null,
        routes: (deps) => async (req, res, next) => {
          const reading = readPlayerContext({}, deps.answer)
          if (req.path !== '/open-door' || !reading.ok) return next()
          await records.write([{ kind: 'visit', key: ADA.username, text: '' }])
          const viewer = { username: ADA.username, groups: [], attributes: {} }
          const identity = guestIdentity(MAIL_ISSUER, ADA.username, START_SECONDS + 600)
          const openSession = () => deps.sessions.start(req, res, viewer, identity)
          const { context } = reading
          await sendToPlayer(deps, req, res, { viewer, context, outcome: 'signed-in', identity, openSession })
        },
      }),
    })
  },
})

function startWithGuests() {
  const store = { kind: 'sqlite', file: join(temporaryFolder(), 'guests.db') }
  const withDoor = { features: { 'open-door': {} } }
  return startLoginApp({
    features: [openDoor],
    featureSettings: { guests: { store } },
    entryPoints: [
      ENTRY_POINT,
      entryPointAt('guests', { ...withDoor, hasPasswordForm: false }),
      entryPointAt('both', withDoor),
    ],
  })
}

test('a guest with the name of an account is not that account', async () => {
  const app = await startWithGuests()
  app.users.add(ADA.username, ADA.password, { groups: ['staff'] })
  const guest = cookieIn(await app.post('/e/both/open-door'))
  const statuses = async (Cookie: string) => {
    const answers = await Promise.all(['/e/both', '/e/guests', '/'].map((path) => app.get(path, { Cookie })))
    return answers.map(({ status }) => status)
  }
  expect(await statuses(guest)).toEqual([303, 303, 200])
  const account = cookieIn(await app.post('/sign-in', ADA))
  expect(await statuses(account)).toEqual([303, 200, 303])
})

test('the session of a guest ends at the end of its origin', async () => {
  const app = await startWithGuests()
  const Cookie = cookieIn(await app.post('/e/guests/open-door'))
  app.clock.seconds = START_SECONDS + 599
  expect((await app.get('/e/guests', { Cookie })).status).toBe(303)
  app.clock.seconds = START_SECONDS + 600
  expect((await app.get('/e/guests', { Cookie })).status).toBe(200)
})

test('a log line of a guest has the issuer and the subject', async () => {
  const app = await startWithGuests()
  await app.post('/e/guests/open-door')
  expect(app.lines.find(({ outcome }) => outcome === 'signed-in')).toMatchObject({
    viewer: ADA.username,
    issuer: MAIL_ISSUER,
    subject: ADA.username,
  })
})
