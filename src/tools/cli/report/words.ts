import { UnexpectedAnswer } from '../../video-service/service-errors.ts'

export function durationWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes === 0) return `${Math.round(milliseconds / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours >= 100) return `${Math.round(minutes / 60).toLocaleString('en')} h`
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

/** Reads an ISO 8601 time. @throws UnexpectedAnswer for anything else. */
export function readTime(text: string): number {
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) {
    throw new UnexpectedAnswer('The service sent a report with a time that is not in ISO 8601 format')
  }
  return timeMs
}
