import { expect } from 'vitest'
import type { Answer } from './start-login-app.ts'

/** The sentence that a screen tells the viewer; '' where it has none. */
export function alertOf({ text }: Pick<Answer, 'text'>): string {
  return /role="alert"[^>]*>([^<]*)</.exec(text)?.[1] ?? ''
}

/** What every refusal has in common: a sentence, no session, and nothing that a player could take for an answer. */
export function expectRefused(answer: Answer, status: number): void {
  expect(answer.status).toBe(status)
  expect(answer.location).toBeUndefined()
  expect(answer.headers.refresh).toBeUndefined()
  expect(answer.setCookies).toEqual([])
  expect(alertOf(answer)).not.toBe('')
  expect(answer.text).not.toMatch(/hash=|hashExpire|&#34;hash&#34;/)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
}
