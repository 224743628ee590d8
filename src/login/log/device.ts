type Names = readonly (readonly [pattern: RegExp, name: string])[]

/** The first that fits counts: most browsers also name the browsers that they imitate. */
const BROWSERS: Names = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: Names = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Returns the names of the browser and the system of a request, as far as known. Never a part of the header itself. */
export function deviceOf({
  headers,
}: {
  readonly headers: { readonly 'user-agent'?: string | undefined }
}): readonly string[] {
  const userAgent = headers['user-agent'] ?? ''
  return [BROWSERS, SYSTEMS].flatMap((names) => names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? [])
}
