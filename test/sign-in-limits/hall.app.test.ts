import { expect, test } from 'vitest'
import { startLoginApp } from '../login/start-login-app.ts'
import { HALL, inHall, statusesOf } from './hall.ts'

test('1,000 viewers of one address sign in with their own passwords, beside 299 mistakes', async () => {
  const app = await startLoginApp()
  for (let guest = 0; guest < HALL; guest += 1) app.users.add(`viewer-${guest}`, `password ${guest}`)
  const wrong = await inHall((at) => app.post('/sign-in', { username: `unknown-${at}`, password: 'guess' }), 299)
  const right = await inHall((at) => app.post('/sign-in', { username: `viewer-${at}`, password: `password ${at}` }))
  expect([statusesOf(wrong), statusesOf(right)]).toEqual([{ 401: 299 }, { 303: HALL }])
})

test('1,000 viewers of one address sign in with a password that all share', async () => {
  const app = await startLoginApp()
  app.users.add('all', 'shared password')
  const answers = []
  for (let guest = 0; guest < HALL; guest += 1) {
    answers.push(await app.post('/sign-in', { username: 'all', password: 'shared password' }))
  }
  expect(statusesOf(answers)).toEqual({ 303: HALL })
})
