import { expect, test } from 'vitest'
import { mailEnvironment } from '../../../manager/real-entry-point.ts'
import { startManager } from '../../../manager/start-manager.ts'

const BY_NAME = 'the username; invitations go to this address'
const BY_MAIL = 'a detail called “mail”; invitations go to this address'
const NO_COLUMN = 'Invitations go to the address in the column “mail”, which this sheet does not have.'

test.each([
  ['the username', {}, 'username,mail', { invite: 'on' }, [BY_NAME]],
  ['the attribute of invitations', { RESET_MAIL_ATTRIBUTE: 'mail' }, 'username,mail', { invite: 'on' }, [BY_MAIL]],
  ['no column of the sheet', { RESET_MAIL_ATTRIBUTE: 'mail' }, 'username,phone', { invite: 'on' }, [NO_COLUMN]],
  ['no address, if no one is invited', {}, 'username,password', {}, []],
  ['no address, if the settings have a fault', { RESET_MAIL_ATTRIBUTE: 'a=b' }, 'username,mail', { invite: 'on' }, []],
])('the preview of a sheet names %s', async (_what, settings, titles, fields, sentences) => {
  const manager = await startManager({
    env: { PUBLIC_URL: 'http://localhost:3000', ...mailEnvironment({ port: 1 }), ...settings },
  })
  const browser = await manager.signedIn()
  await browser.get('/people/import')
  const { location } = await browser.upload('/people/import', 'x.csv', `${titles}\nbob,x\n`, fields)
  const { status, text } = await browser.get(location ?? '')
  expect(status).toBe(200)
  expect([BY_NAME, BY_MAIL, NO_COLUMN].filter((sentence) => text.includes(sentence))).toEqual(sentences)
})
