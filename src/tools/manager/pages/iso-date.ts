const DAY_MS = 86_400_000
/** Excel counts days from here. It takes 1900 for a leap year, which days after February 1900 hide. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30)
const FIRST_SERIAL = 36_526
const LAST_SERIAL = 73_415

/**
 * Returns a date as people and Excel write it in the form that the import reads: `30.11.2026 20:15`, `30.11.26, 20.15 Uhr`,
 * `11/30/2026`, `46356`.
 * Any other text stays as it is.
 * @param dayFirst true for day/month/year between slashes. Points always separate day, month and year.
 */
export function isoDate(text: string, dayFirst: boolean): string {
  const trimmed = text.trim()
  const serial = Number(trimmed.replace(',', '.'))
  if (/^\d{5}([.,]\d+)?$/.test(trimmed) && serial >= FIRST_SERIAL && serial <= LAST_SERIAL) return isoOfSerial(serial)
  const [, first, sign, second, year, hour, minute] =
    /^(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4}|\d\d)(?:[ T,]+(\d{1,2})[:.](\d\d)(?::\d\d)?(?: Uhr)?)?$/.exec(trimmed) ?? []
  if (first === undefined || second === undefined || year === undefined) return trimmed
  // 26-11-30 could be a year first.
  if (year.length === 2 && sign === '-') return trimmed
  const [day, month] = dayFirst || sign === '.' ? [first, second] : [second, first]
  const date = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return hour === undefined ? date : `${date}T${hour.padStart(2, '0')}:${minute}`
}

function isoOfSerial(serial: number): string {
  const iso = new Date(EXCEL_EPOCH_MS + Math.round((serial * DAY_MS) / 60_000) * 60_000).toISOString()
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 16)
}
