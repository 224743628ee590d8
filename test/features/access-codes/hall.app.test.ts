import { expect, test } from 'vitest'
import { NO_HOLDER } from '../../../src/features/access-codes/codes/new-codes.ts'
import { HALL, inHall, statusesOf } from '../../sign-in-limits/hall.ts'
import { startCodesApp } from './codes-app.ts'

test('1,000 guests of one address get in with their access codes, beside 299 mistakes', async () => {
  const { create, enter } = await startCodesApp()
  const codes = await create(
    {},
    Array.from({ length: HALL }, () => NO_HOLDER),
  )
  const wrong = await inHall(() => enter('CDF2-GHJ-KM3'), 299)
  const right = await inHall((guest) => enter(codes[guest] ?? ''))
  expect([statusesOf(wrong), statusesOf(right)]).toEqual([{ 401: 299 }, { 303: HALL }])
})
