import { expect } from 'vitest'
import type { Answer } from './start-login-app.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** Returns the message of a screen as the viewer reads it; '' if there is none. */
export function alertOf({ text }: Pick<Answer, 'text'>): string {
  const [, html = ''] = /role="alert"[^>]*>(.*?)<\/p>/s.exec(text) ?? []
  return unescaped(html.replace(/<[^>]*>/g, '').trim())
}

export function unescaped(html: string): string {
  return html.replace(/&(#34|#39|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? '')
}

/** Expects a screen with a message, no session and no response for the player. */
export function expectRefused(answer: Answer, status: number): void {
  expect(answer.status).toBe(status)
  expect(answer.location).toBeUndefined()
  expect(answer.headers.refresh).toBeUndefined()
  expect(answer.setCookies).toEqual([])
  expect(alertOf(answer)).not.toBe('')
  expect(answer.text).not.toMatch(/hash=|hashExpire|&#34;hash&#34;/)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
}
